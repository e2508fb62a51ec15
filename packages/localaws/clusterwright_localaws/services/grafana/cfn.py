"""Workspaces of Amazon Managed Grafana."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws.cloudformation.handler import (
    Context,
    Created,
    Handler,
    Properties,
)
from clusterwright_localaws.cloudformation.handler_helpers import (
    changed,
    lower_first,
    pick,
    ready,
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
        grafana = ctx.client("grafana")
        workspace = grafana.create_workspace(
            authenticationProviders=properties["AuthenticationProviders"],
            **pick(properties, **_PLAIN),
            **pick(properties, ClientToken="clientToken", GrafanaVersion="grafanaVersion"),
            **lower_first(pick(properties, **_NESTED)),
            **ctx.tagging(properties, "tags", as_map=True),
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
        retag(ctx, "grafana", old, new, resourceArn=arn)
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
        found = ready(
            ctx,
            lambda: ctx.client("grafana").describe_workspace(workspaceId=workspace)["workspace"],
            f"the workspace {workspace}",
        )
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
