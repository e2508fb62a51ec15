"""Capabilities of EKS. ``Ref`` is the ARN, the type's primary identifier in its schema."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.cloudformation.handler import Context, Created, Properties
from clusterwright_localaws.cloudformation.handler_helpers import (
    changed,
    lower_first,
    pick,
    retag,
)
from clusterwright_localaws.services.eks.cfn import ClusterChild


class Capability(ClusterChild):
    """Return what replaces the resource: an ACK configuration, or Argo CD's except its
    mappings.
    """

    type_name = "AWS::EKS::Capability"
    kind = "capability"
    # Argo CD does not run, and no Identity Center application is created for it.
    unsupported_attributes = frozenset({"Configuration.ArgoCd"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        configuration = lower_first(properties.get("Configuration") or {})
        made = self._call(
            ctx,
            "create",
            **self._named("", properties),
            **pick(
                properties,
                Type="type",
                RoleArn="roleArn",
                DeletePropagationPolicy="deletePropagationPolicy",
            ),
            clientRequestToken=ctx.token,
            **({"configuration": configuration} if configuration else {}),
            **ctx.tagging(properties, "tags", as_map=True),
        )
        ctx.identify(made["arn"])
        return self._active(ctx, properties)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        names = ("RoleArn", "DeletePropagationPolicy", "Configuration")
        if changed(old, new, *names):
            ctx.client("eks").update_capability(
                **self._named(physical_id, new),
                roleArn=new["RoleArn"],
                deletePropagationPolicy=new["DeletePropagationPolicy"],
                **_configuration(old, new),
            )
        done = self._active(ctx, new)
        retag(ctx, "eks", old, new, resourceArn=physical_id)
        return done

    def _named(self, physical_id: str, properties: Properties) -> dict[str, str]:
        return pick(properties, ClusterName="clusterName", CapabilityName="capabilityName")

    def _active(self, ctx: Context, properties: Properties) -> Created:
        named = self._named("", properties)
        found = self._ready(ctx, named, f"The capability {named['capabilityName']}")
        return Created(
            found["arn"],
            {
                **pick(found, arn="Arn", status="Status", version="Version"),
                "CreatedAt": found["createdAt"].isoformat(),
                "ModifiedAt": found["modifiedAt"].isoformat(),
            },
        )


def _configuration(old: Properties, new: Properties) -> dict[str, Any]:
    """Return the parameters of UpdateCapability for a changed configuration."""
    if not changed(old, new, "Configuration"):
        return {}
    before = lower_first(old.get("Configuration") or {}).get("argoCd", {})
    after = lower_first(new.get("Configuration") or {})
    if "argoCd" not in after:
        return {"configuration": after} if after else {}
    argocd = after["argoCd"]
    roles = {mapping["role"] for mapping in argocd.get("rbacRoleMappings", ())}
    removed = [
        mapping for mapping in before.get("rbacRoleMappings", ()) if mapping["role"] not in roles
    ]
    told: dict[str, Any] = {
        "rbacRoleMappings": {
            "addOrUpdateRoleMappings": argocd.get("rbacRoleMappings", []),
            "removeRoleMappings": removed,
        }
    }
    if "networkAccess" in argocd:
        told["networkAccess"] = argocd["networkAccess"]
    return {"configuration": {"argoCd": told}}
