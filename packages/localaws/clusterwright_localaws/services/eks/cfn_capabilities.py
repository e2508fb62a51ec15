"""Capabilities of EKS. ``Ref`` is the ARN, the type's primary identifier in its schema."""

from __future__ import annotations

from collections.abc import Mapping
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
    retag,
)


class Capability(Handler):
    """Return what replaces the resource: an ACK configuration, or Argo CD's except its
    mappings.
    """

    type_name = "AWS::EKS::Capability"
    # Argo CD does not run, and no Identity Center application is created for it.
    unsupported_attributes = frozenset({"Configuration.ArgoCd"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        tags = ctx.tag_map(properties.get("Tags"))
        configuration = lower_first(properties.get("Configuration") or {})
        made = ctx.client("eks").create_capability(
            capabilityName=properties["CapabilityName"],
            clusterName=properties["ClusterName"],
            type=properties["Type"],
            roleArn=properties["RoleArn"],
            deletePropagationPolicy=properties["DeletePropagationPolicy"],
            clientRequestToken=ctx.token,
            **({"configuration": configuration} if configuration else {}),
            **({"tags": tags} if tags else {}),
        )["capability"]
        ctx.identify(made["arn"])
        return self._active(ctx, properties)

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        names = ("RoleArn", "DeletePropagationPolicy", "Configuration")
        if any(changed(old, new, name) for name in names):
            ctx.client("eks").update_capability(
                **_named(new),
                roleArn=new["RoleArn"],
                deletePropagationPolicy=new["DeletePropagationPolicy"],
                **_configuration(old, new),
            )
        done = self._active(ctx, new)
        eks = ctx.client("eks")
        retag(
            ctx,
            old,
            new,
            add=lambda tags: eks.tag_resource(resourceArn=physical_id, tags=key_value_map(tags)),
            remove=lambda keys: eks.untag_resource(resourceArn=physical_id, tagKeys=keys),
        )
        return done

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        eks, named = ctx.client("eks"), _named(properties)

        def state() -> str | None:
            try:
                return str(eks.describe_capability(**named)["capability"]["status"])
            except eks.exceptions.ResourceNotFoundException:
                return None

        ctx.wait(lambda: state() not in ("CREATING", "UPDATING"), what=f"{physical_id} to settle")
        if state() not in (None, "DELETING"):
            eks.delete_capability(**named)
        ctx.wait(lambda: state() is None, what=f"{physical_id} to be deleted")

    def _active(self, ctx: Context, properties: Properties) -> Created:
        eks, named = ctx.client("eks"), _named(properties)

        def describe() -> Mapping[str, Any]:
            found: Mapping[str, Any] = eks.describe_capability(**named)["capability"]
            return found

        def ready() -> bool:
            state = str(describe()["status"])
            if state in ("CREATE_FAILED", "DEGRADED", "DELETING"):
                raise HandlerFailure(f"{named['capabilityName']} is {state}", "NotStabilized")
            return state == "ACTIVE"

        ctx.wait(ready, what=f"the capability {named['capabilityName']} to be active")
        found = describe()
        return Created(
            found["arn"],
            {
                "Arn": found["arn"],
                "Status": found["status"],
                "Version": found["version"],
                "CreatedAt": found["createdAt"].isoformat(),
                "ModifiedAt": found["modifiedAt"].isoformat(),
            },
        )


def _named(properties: Properties) -> dict[str, str]:
    return {
        "clusterName": properties["ClusterName"],
        "capabilityName": properties["CapabilityName"],
    }


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
