"""Workspaces of Amazon Managed Grafana."""

from __future__ import annotations

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

# The template's name of a property -> the API's.
_PLAIN = {
    "AccountAccessType": "accountAccessType",
    "DataSources": "workspaceDataSources",
    "Description": "workspaceDescription",
    "Name": "workspaceName",
    "NotificationDestinations": "workspaceNotificationDestinations",
    "OrganizationRoleName": "organizationRoleName",
    "OrganizationalUnits": "workspaceOrganizationalUnits",
    "PermissionType": "permissionType",
    "RoleArn": "workspaceRoleArn",
    "StackSetName": "stackSetName",
}
_NESTED = {
    "NetworkAccessControl": "networkAccessControl",
    "VpcConfiguration": "vpcConfiguration",
}
_REMOVALS = {
    "NetworkAccessControl": "removeNetworkAccessConfiguration",
    "VpcConfiguration": "removeVpcConfiguration",
}


class Workspace(Handler):
    type_name = "AWS::Grafana::Workspace"
    # A setting of Grafana itself, which does not run here.
    unsupported_properties = frozenset({"PluginAdminEnabled"})

    def create(self, ctx: Context, properties: Properties) -> Created:
        grafana, tags = ctx.client("grafana"), ctx.tag_map(properties.get("Tags"))
        workspace = grafana.create_workspace(
            authenticationProviders=properties["AuthenticationProviders"],
            **pick(properties, **_PLAIN),
            **pick(properties, ClientToken="clientToken", GrafanaVersion="grafanaVersion"),
            **{
                to: lower_first(properties[name])
                for name, to in _NESTED.items()
                if name in properties
            },
            **({"tags": tags} if tags else {}),
        )["workspace"]["id"]
        ctx.identify(workspace)
        created = self._active(ctx, workspace)
        if "SamlConfiguration" in properties:
            self._authenticate(ctx, workspace, properties)
            created = self._active(ctx, workspace)
        return created

    def update(self, ctx: Context, physical_id: str, old: Properties, new: Properties) -> Created:
        grafana = ctx.client("grafana")
        names = (*_PLAIN, *_NESTED)
        if changed(old, new, *names):
            nested: dict[str, Any] = {}
            for name, to in _NESTED.items():
                if name in new:
                    nested[to] = lower_first(new[name])
                elif name in old:
                    nested[_REMOVALS[name]] = True
            grafana.update_workspace(workspaceId=physical_id, **pick(new, **_PLAIN), **nested)
            self._active(ctx, physical_id)
        if changed(old, new, "AuthenticationProviders", "SamlConfiguration"):
            self._authenticate(ctx, physical_id, new)
        if changed(old, new, "GrafanaVersion") and "GrafanaVersion" in new:
            found = grafana.describe_workspace_configuration(workspaceId=physical_id)
            grafana.update_workspace_configuration(
                workspaceId=physical_id,
                configuration=found["configuration"],
                grafanaVersion=new["GrafanaVersion"],
            )
        arn = f"arn:aws:grafana:::/workspaces/{physical_id}"
        retag(
            ctx,
            old,
            new,
            add=lambda tags: grafana.tag_resource(resourceArn=arn, tags=key_value_map(tags)),
            remove=lambda keys: grafana.untag_resource(resourceArn=arn, tagKeys=keys),
        )
        return self._active(ctx, physical_id)

    def delete(self, ctx: Context, physical_id: str, properties: Properties) -> None:
        grafana = ctx.client("grafana")
        grafana.delete_workspace(workspaceId=physical_id)

        def gone() -> bool:
            listed = grafana.get_paginator("list_workspaces").paginate()
            return all(
                workspace["id"] != physical_id
                for page in listed
                for workspace in page["workspaces"]
            )

        ctx.wait(gone, what=f"the workspace {physical_id} to be deleted")

    def _authenticate(self, ctx: Context, workspace: str, properties: Properties) -> None:
        saml = properties.get("SamlConfiguration")
        ctx.client("grafana").update_workspace_authentication(
            workspaceId=workspace,
            authenticationProviders=properties["AuthenticationProviders"],
            **({"samlConfiguration": lower_first(saml)} if saml else {}),
        )

    def _active(self, ctx: Context, workspace: str) -> Created:
        grafana = ctx.client("grafana")

        def ready() -> bool:
            state = grafana.describe_workspace(workspaceId=workspace)["workspace"]["status"]
            if state.endswith("FAILED"):
                raise HandlerFailure(f"{workspace} is in status {state}", "NotStabilized")
            return bool(state == "ACTIVE")

        ctx.wait(ready, what=f"the workspace {workspace} to be active")
        found = grafana.describe_workspace(workspaceId=workspace)["workspace"]
        attributes = {
            "Id": workspace,
            "Endpoint": found["endpoint"],
            "Status": found["status"],
            "CreationTimestamp": found["created"].isoformat(),
            "ModificationTimestamp": found["modified"].isoformat(),
        }
        status = found["authentication"].get("samlConfigurationStatus")
        if status is not None:
            attributes["SamlConfigurationStatus"] = status
        return Created(workspace, attributes)
