"""Workspaces and scrapers of Amazon Managed Service for Prometheus."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from clusterwright_localaws.cloudformation.handler import (
    Context,
    Created,
    Handler,
    HandlerFailure,
    Properties,
)
from clusterwright_localaws.cloudformation.handler_helpers import (
    changed,
    key_value_map,
    lower_first,
    pick,
    retag,
)


class Workspace(Handler):
    type_name = "AWS::APS::Workspace"
    supported_properties = frozenset({"Alias", "KmsKeyArn", "LoggingConfiguration", "Tags"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        amp = ctx.client("amp")
        tags = ctx.tag_map(properties.get("Tags"))
        workspace = amp.create_workspace(
            **pick(properties, Alias="alias", KmsKeyArn="kmsKeyArn"),
            **({"tags": tags} if tags else {}),
        )
        ctx.identify(workspace["arn"])
        if "LoggingConfiguration" in properties:
            amp.create_logging_configuration(
                workspaceId=workspace["workspaceId"],
                logGroupArn=properties["LoggingConfiguration"]["LogGroupArn"],
            )
        return self._active(ctx, workspace["arn"])

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        amp = ctx.client("amp")
        workspace = _id(physical_id)
        if changed(old, new, "Alias"):
            amp.update_workspace_alias(workspaceId=workspace, **pick(new, Alias="alias"))
        if changed(old, new, "LoggingConfiguration"):
            group = new.get("LoggingConfiguration", {}).get("LogGroupArn")
            if group is None:
                amp.delete_logging_configuration(workspaceId=workspace)
            elif "LoggingConfiguration" in old:
                amp.update_logging_configuration(workspaceId=workspace, logGroupArn=group)
            else:
                amp.create_logging_configuration(workspaceId=workspace, logGroupArn=group)
        _retag(ctx, physical_id, old, new)
        return self._active(ctx, physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        amp, workspace = ctx.client("amp"), _id(physical_id)

        def state() -> Any:
            return amp.describe_workspace(workspaceId=workspace)["workspace"]["status"][
                "statusCode"
            ]

        _delete(
            ctx,
            f"workspace {workspace}",
            state,
            lambda: amp.delete_workspace(workspaceId=workspace),
        )

    def _active(self, ctx: Context, arn: str) -> Created:
        amp, workspace = ctx.client("amp"), _id(arn)

        def ready() -> bool:
            state = amp.describe_workspace(workspaceId=workspace)["workspace"]["status"][
                "statusCode"
            ]
            if state == "CREATION_FAILED":
                raise HandlerFailure(f"{workspace} is in status {state}", "NotStabilized")
            return bool(state == "ACTIVE")

        ctx.wait(ready, what=f"the workspace {workspace} to be active")
        found = amp.describe_workspace(workspaceId=workspace)["workspace"]
        return Created(
            arn,
            {
                "Arn": arn,
                "PrometheusEndpoint": found.get("prometheusEndpoint", ""),
                "WorkspaceId": workspace,
            },
        )


class Scraper(Handler):
    type_name = "AWS::APS::Scraper"
    # A role of another account, and logs of a collector, which collects nothing here.
    unsupported_properties = frozenset({"RoleConfiguration", "ScraperLoggingConfiguration"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        amp, tags = ctx.client("amp"), ctx.tag_map(properties.get("Tags"))
        scraper = amp.create_scraper(
            **_asked(properties),
            source=lower_first(properties["Source"]),
            clientToken=ctx.token,
            **({"tags": tags} if tags else {}),
        )
        ctx.identify(scraper["arn"])
        return self._active(ctx, scraper["arn"])

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        amp = ctx.client("amp")
        if changed(old, new, "Alias", "ScrapeConfiguration", "Destination"):
            amp.update_scraper(scraperId=_id(physical_id), **_asked(new))
        _retag(ctx, physical_id, old, new)
        return self._active(ctx, physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        amp, scraper = ctx.client("amp"), _id(physical_id)

        def state() -> Any:
            return amp.describe_scraper(scraperId=scraper)["scraper"]["status"]["statusCode"]

        _delete(ctx, f"scraper {scraper}", state, lambda: amp.delete_scraper(scraperId=scraper))

    def _active(self, ctx: Context, arn: str) -> Created:
        amp, scraper = ctx.client("amp"), _id(arn)

        def ready() -> bool:
            state = amp.describe_scraper(scraperId=scraper)["scraper"]["status"]["statusCode"]
            if str(state).endswith("_FAILED"):
                raise HandlerFailure(f"{scraper} is in status {state}", "NotStabilized")
            return bool(state == "ACTIVE")

        ctx.wait(ready, what=f"the scraper {scraper} to be active")
        found = amp.describe_scraper(scraperId=scraper)["scraper"]
        return Created(arn, {"Arn": arn, "ScraperId": scraper, "RoleArn": found["roleArn"]})


def _asked(properties: Properties) -> dict[str, Any]:
    """Return the members that an update may change; the template has the configuration in
    base64.
    """
    blob = base64.b64decode(properties["ScrapeConfiguration"]["ConfigurationBlob"])
    return {
        **pick(properties, Alias="alias"),
        "scrapeConfiguration": {"configurationBlob": blob},
        "destination": lower_first(properties["Destination"]),
    }


def _retag(ctx: Context, arn: str, old: Properties, new: Properties) -> None:
    amp = ctx.client("amp")
    retag(
        ctx,
        old,
        new,
        add=lambda tags: amp.tag_resource(resourceArn=arn, tags=key_value_map(tags)),
        remove=lambda keys: amp.untag_resource(resourceArn=arn, tagKeys=keys),
    )


def _delete(
    ctx: Context, what: str, status: Callable[[], Any], delete: Callable[[], object]
) -> None:
    """Deletes a resource that may still be changing, and waits until it is deleted."""

    def state() -> Any:
        try:
            return status()
        except ctx.client("amp").exceptions.ResourceNotFoundException:
            return None

    # A cancelled creation may still be running.
    ctx.wait(lambda: state() not in ("CREATING", "UPDATING"), what=f"the {what} to settle")
    if state() not in (None, "DELETING"):
        delete()
    ctx.wait(lambda: state() is None, what=f"the {what} to be deleted")


def _id(arn: str) -> str:
    return arn.rsplit("/", 1)[-1]
