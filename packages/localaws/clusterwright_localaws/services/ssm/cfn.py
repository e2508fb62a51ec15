"""SSM parameters."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.cloudformation.handler import Context, Created, Handler, Properties
from clusterwright_localaws.cloudformation.handler_helpers import pick, retag

_SETTINGS = (
    "AllowedPattern",
    "DataType",
    "Description",
    "Policies",
    "Tier",
    "Type",
    "Value",
)


class Parameter(Handler):
    type_name = "AWS::SSM::Parameter"

    def create(self, ctx: Context, properties: Properties) -> Created:
        ssm = ctx.client("ssm")
        name = properties.get("Name") or f"CFN-{ctx.logical_id}-{ctx.suffix}"
        ssm.put_parameter(Name=name, **pick(properties, *_SETTINGS), **ctx.tagging(properties))
        return self._created(ctx, name, properties)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        ssm = ctx.client("ssm")
        ssm.put_parameter(Name=physical_id, Overwrite=True, **pick(new, *_SETTINGS))
        retag(
            ctx,
            "ssm",
            old,
            new,
            calls=("add_tags_to_resource", "remove_tags_from_resource"),
            ResourceType="Parameter",
            ResourceId=physical_id,
        )
        return self._created(ctx, physical_id, new)

    def exists(self, ctx: Context, physical_id: str, properties: Properties) -> bool:
        return bool(ctx.client("ssm").get_parameters(Names=[physical_id])["Parameters"])

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        ctx.client("ssm").delete_parameter(Name=physical_id)

    def read(self, ctx: Context, physical_id: str, properties: Properties) -> Properties:
        found: dict[str, Any] = ctx.client("ssm").get_parameter(
            Name=physical_id, WithDecryption=True
        )["Parameter"]
        return pick(found, "DataType", "Name", "Type", "Value")

    def _created(self, ctx: Context, name: str, properties: Properties) -> Created:
        path = name if name.startswith("/") else f"/{name}"
        return Created(
            name,
            {
                "Arn": f"arn:{ctx.partition}:ssm:{ctx.region}:{ctx.account}:parameter{path}",
                "Type": properties["Type"],
                "Value": properties["Value"],
            },
        )
