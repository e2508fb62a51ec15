"""Workspaces of Amazon Managed Grafana, which moto does not have.

https://docs.aws.amazon.com/grafana/latest/APIReference/Welcome.html; names of errors and limits of
members are the API model's. No Grafana runs: endpoints do not resolve, and API keys have no
effect.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.pagination import paged
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.core.tag_operations import tag_operations
from clusterwright_localaws.services.workspace_errors import conflict, invalid, missing

# https://docs.aws.amazon.com/grafana/latest/userguide/AMG_quotas.html: five workspaces in each
# Region of an account.
_MOST_WORKSPACES = 5
# The API model names these; the user guide has pages on versions 12 and 13 too, but no source
# states which of them ListVersions answers.
_VERSIONS = ("8.4", "9.4", "10.4")
_BUSY = frozenset({"CREATING", "UPDATING", "DELETING", "VERSION_UPDATING"})
_MEMBERS = {
    "accountAccessType": "accountAccessType",
    "organizationRoleName": "organizationRoleName",
    "permissionType": "permissionType",
    "stackSetName": "stackSetName",
    "workspaceDataSources": "dataSources",
    "workspaceDescription": "description",
    "workspaceName": "name",
    "workspaceNotificationDestinations": "notificationDestinations",
    "workspaceOrganizationalUnits": "organizationalUnits",
    "workspaceRoleArn": "workspaceRoleArn",
    "vpcConfiguration": "vpcConfiguration",
    "networkAccessControl": "networkAccessControl",
    "grafanaVersion": "grafanaVersion",
    "ipAddressType": "ipAddressType",
    "kmsKeyId": "kmsKeyId",
}
_SUMMARY = (
    "created",
    "description",
    "endpoint",
    "grafanaVersion",
    "id",
    "modified",
    "name",
    "notificationDestinations",
    "status",
    "authentication",
    "tags",
)


@dataclass
class Workspace:
    """One workspace: its members in the API's answer, and its child resources."""

    members: dict[str, Any]
    configuration: str = "{}"
    saml: dict[str, Any] | None = None
    done_at: datetime | None = None
    keys: dict[str, datetime] = field(default_factory=dict)
    accounts: dict[str, dict[str, Any]] = field(default_factory=dict)
    permissions: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Workspaces:
    """The resources of one account and region."""

    runtime: Runtime
    by_id: dict[str, Workspace] = field(default_factory=dict)

    def advance(self) -> None:
        """Complete changes that are due."""
        now = self.runtime.clock.now()
        for workspace_id, one in list(self.by_id.items()):
            if one.done_at is None or one.done_at > now:
                continue
            one.done_at = None
            if one.members["status"] == "DELETING":
                del self.by_id[workspace_id]
            else:
                one.members["status"] = "ACTIVE"


@operation("grafana", "CreateWorkspace")
def create_workspace(call: Call) -> Mapping[str, Any]:
    request, workspaces = call.parameters, _workspaces(call)
    _check(call, request)
    if len(workspaces.by_id) >= _MOST_WORKSPACES:
        raise AwsError(
            "ServiceQuotaExceededException",
            f"You can have up to {_MOST_WORKSPACES} workspaces in a Region.",
            resourceId="workspaces",
            resourceType="workspace",
            serviceCode="grafana",
            quotaCode="workspaces",
        )
    workspace_id = f"g-{secrets.token_hex(5)}"
    providers = list(request["authenticationProviders"])
    members: dict[str, Any] = {
        "dataSources": [],
        "grafanaVersion": _VERSIONS[-1],
        **{to: request[name] for name, to in _MEMBERS.items() if name in request},
        "id": workspace_id,
        "created": call.now,
        "modified": call.now,
        "endpoint": f"{workspace_id}.grafana-workspace.{call.region}.amazonaws.com",
        "status": "CREATING",
        "authentication": _authentication(providers, None),
        "tags": dict(request.get("tags") or {}),
    }
    workspace = Workspace(members, request.get("configuration") or "{}")
    workspaces.by_id[workspace_id] = workspace
    return {"workspace": _begin(call, workspace, "CREATING")}


@operation("grafana", "DescribeWorkspace")
def describe_workspace(call: Call) -> Mapping[str, Any]:
    return {"workspace": _find(call).members}


@operation("grafana", "ListWorkspaces")
def list_workspaces(call: Call) -> Mapping[str, Any]:
    found = [
        {name: workspace.members[name] for name in _SUMMARY if name in workspace.members}
        for workspace in _workspaces(call).by_id.values()
    ]
    return _paged(call, "workspaces", found)


@operation("grafana", "UpdateWorkspace")
def update_workspace(call: Call) -> Mapping[str, Any]:
    request, one = call.parameters, _ready(call)
    _check(call, request)
    for name, to in _MEMBERS.items():
        if name in request:
            one.members[to] = request[name]
    for flag, member in (
        ("removeVpcConfiguration", "vpcConfiguration"),
        ("removeNetworkAccessConfiguration", "networkAccessControl"),
    ):
        if request.get(flag):
            if member in request:
                raise invalid(f"{flag} and {member} may not be given together.")
            one.members.pop(member, None)
    return {"workspace": _begin(call, one, "UPDATING")}


@operation("grafana", "DeleteWorkspace")
def delete_workspace(call: Call) -> Mapping[str, Any]:
    return {"workspace": _begin(call, _ready(call), "DELETING")}


@operation("grafana", "DescribeWorkspaceAuthentication")
def describe_authentication(call: Call) -> Mapping[str, Any]:
    return {"authentication": _authentication_in_full(_find(call))}


@operation("grafana", "UpdateWorkspaceAuthentication")
def update_authentication(call: Call) -> Mapping[str, Any]:
    request, one = call.parameters, _ready(call)
    providers = list(request["authenticationProviders"])
    if "samlConfiguration" in request:
        if "SAML" not in providers:
            raise invalid("samlConfiguration needs SAML among the authentication providers.")
        metadata = request["samlConfiguration"]["idpMetadata"]
        if ("url" in metadata) == ("xml" in metadata):
            raise invalid("idpMetadata has exactly one of url and xml.")
        one.saml = dict(request["samlConfiguration"])
    elif "SAML" not in providers:
        one.saml = None
    one.members["authentication"] = _authentication(providers, one.saml)
    one.members["modified"] = call.now
    return {"authentication": _authentication_in_full(one)}


@operation("grafana", "DescribeWorkspaceConfiguration")
def describe_configuration(call: Call) -> Mapping[str, Any]:
    item = _find(call)
    return {
        "configuration": item.configuration,
        "grafanaVersion": item.members["grafanaVersion"],
    }


@operation("grafana", "UpdateWorkspaceConfiguration")
def update_configuration(call: Call) -> Mapping[str, Any]:
    request, one = call.parameters, _ready(call)
    version = request.get("grafanaVersion")
    if version is not None:
        if version not in _VERSIONS or _later(one.members["grafanaVersion"], version):
            raise invalid(f"The workspace cannot go to Grafana version {version}.")
        one.members["grafanaVersion"] = version
    one.configuration = request["configuration"]
    _begin(call, one, "VERSION_UPDATING" if version is not None else "UPDATING")
    return {}


@operation("grafana", "ListVersions")
def list_versions(call: Call) -> Mapping[str, Any]:
    """Answer the versions for new workspaces, or those that a workspace can be upgraded to."""
    found = list(_VERSIONS)
    if "workspaceId" in call.parameters:
        has = _find(call).members["grafanaVersion"]
        found = [version for version in found if version != has and not _later(has, version)]
    return _paged(call, "grafanaVersions", found)


@operation("grafana", "CreateWorkspaceApiKey")
def create_api_key(call: Call) -> Mapping[str, Any]:
    request, one = call.parameters, _ready(call)
    name = request["keyName"]
    if one.keys.get(name, call.now) > call.now:
        raise conflict(f"API key {name} already exists.", name, "apikey")
    if request["keyRole"] not in ("ADMIN", "EDITOR", "VIEWER"):
        raise invalid(f"keyRole: {request['keyRole']} is not one of ADMIN, EDITOR, VIEWER")
    one.keys[name] = call.now + timedelta(seconds=request["secondsToLive"])
    key = f"localaws-{secrets.token_hex(16)}"
    return {"keyName": name, "key": key, "workspaceId": one.members["id"]}


@operation("grafana", "DeleteWorkspaceApiKey")
def delete_api_key(call: Call) -> Mapping[str, Any]:
    one, name = _ready(call), call.parameters["keyName"]
    if one.keys.pop(name, None) is None:
        raise missing(f"API key {name} does not exist.", name, "apikey")
    return {"keyName": name, "workspaceId": one.members["id"]}


@operation("grafana", "CreateWorkspaceServiceAccount")
def create_service_account(call: Call) -> Mapping[str, Any]:
    request, one = call.parameters, _ready(call)
    if any(account["name"] == request["name"] for account in one.accounts.values()):
        raise conflict(
            f"Service account {request['name']} already exists.", request["name"], "serviceaccount"
        )
    account = {
        "id": str(len(one.accounts) + 1 + secrets.randbelow(10_000) * 100),
        "name": request["name"],
        "grafanaRole": request["grafanaRole"],
    }
    one.accounts[account["id"]] = {**account, "_Tokens": {}}
    return {**account, "workspaceId": one.members["id"]}


@operation("grafana", "ListWorkspaceServiceAccounts")
def list_service_accounts(call: Call) -> Mapping[str, Any]:
    item = _find(call)
    found = [
        {**{k: v for k, v in account.items() if k != "_Tokens"}, "isDisabled": "false"}
        for account in item.accounts.values()
    ]
    return {**_paged(call, "serviceAccounts", found), "workspaceId": item.members["id"]}


@operation("grafana", "DeleteWorkspaceServiceAccount")
def delete_service_account(call: Call) -> Mapping[str, Any]:
    one, account = _account(call)
    del one.accounts[account["id"]]
    return {"serviceAccountId": account["id"], "workspaceId": one.members["id"]}


@operation("grafana", "CreateWorkspaceServiceAccountToken")
def create_token(call: Call) -> Mapping[str, Any]:
    request = call.parameters
    one, account = _account(call)
    tokens = account["_Tokens"]
    if any(token["name"] == request["name"] for token in tokens.values()):
        raise conflict(f"Token {request['name']} already exists.", request["name"], "token")
    token = {
        "id": str(len(tokens) + 1 + secrets.randbelow(10_000) * 100),
        "name": request["name"],
        "createdAt": call.now,
        "expiresAt": call.now + timedelta(seconds=request["secondsToLive"]),
    }
    tokens[token["id"]] = token
    shown = {
        "id": token["id"],
        "name": token["name"],
        "key": f"glsa_localaws{secrets.token_hex(16)}",
    }
    return {
        "serviceAccountToken": shown,
        "serviceAccountId": account["id"],
        "workspaceId": one.members["id"],
    }


@operation("grafana", "ListWorkspaceServiceAccountTokens")
def list_tokens(call: Call) -> Mapping[str, Any]:
    one, account = _account(call)
    found = _paged(call, "serviceAccountTokens", list(account["_Tokens"].values()))
    return {**found, "serviceAccountId": account["id"], "workspaceId": one.members["id"]}


@operation("grafana", "DeleteWorkspaceServiceAccountToken")
def delete_token(call: Call) -> Mapping[str, Any]:
    one, account = _account(call)
    token_id = call.parameters["tokenId"]
    if account["_Tokens"].pop(token_id, None) is None:
        raise missing(f"Token {token_id} does not exist.", token_id, "token")
    return {
        "tokenId": token_id,
        "serviceAccountId": account["id"],
        "workspaceId": one.members["id"],
    }


def _workspaces(call: Call) -> Workspaces:
    found = call.runtime.store(
        "grafana workspaces", call.account, call.region, lambda: Workspaces(call.runtime)
    )
    found.advance()
    return found


def _find(call: Call) -> Workspace:
    workspace_id = call.parameters["workspaceId"]
    found = _workspaces(call).by_id.get(workspace_id)
    if found is None:
        raise missing(f"Workspace {workspace_id} does not exist.", workspace_id, "workspace")
    return found


def _ready(call: Call) -> Workspace:
    found = _find(call)
    if found.members["status"] in _BUSY:
        raise conflict(
            f"Workspace {found.members['id']} is {found.members['status']}.",
            found.members["id"],
            "workspace",
        )
    return found


def _account(call: Call) -> tuple[Workspace, dict[str, Any]]:
    one, account_id = _find(call), call.parameters["serviceAccountId"]
    if account_id not in one.accounts:
        raise missing(
            f"Service account {account_id} does not exist.", account_id, "serviceaccount"
        )
    return one, one.accounts[account_id]


def _tagged(call: Call) -> Workspace:
    arn = call.parameters["resourceArn"]
    workspace_id = arn.rsplit("/", 1)[-1]
    found = _workspaces(call).by_id.get(workspace_id)
    if found is None:
        raise missing(f"{arn} does not exist.", arn, "workspace")
    return found


def _begin(call: Call, one: Workspace, status: str) -> dict[str, Any]:
    """Return the members of a new workspace."""
    one.members |= {"status": status, "modified": call.now}
    one.done_at = call.now + timedelta(seconds=call.world.delays.workspace)
    return dict(one.members)


def _check(call: Call, request: Mapping[str, Any]) -> None:
    """Check members against each other; subnets and groups must exist."""
    if request.get("grafanaVersion", _VERSIONS[0]) not in _VERSIONS:
        raise invalid(
            f"grafanaVersion: {request['grafanaVersion']} is not one of {', '.join(_VERSIONS)}"
        )
    if request.get("accountAccessType") == "ORGANIZATION" and not (
        request.get("workspaceOrganizationalUnits") or request.get("permissionType") is None
    ):
        raise invalid(
            "workspaceOrganizationalUnits is needed where accountAccessType is ORGANIZATION."
        )
    network = request.get("vpcConfiguration")
    if network is None:
        return
    ec2 = moto_state.backend("ec2", call.account, call.region)
    known = {subnet for zone in ec2.subnets.values() for subnet in zone}
    for subnet in network["subnetIds"]:
        if subnet not in known:
            raise invalid(f"The subnet ID '{subnet}' does not exist")
    groups = {group for vpc in ec2.groups.values() for group in vpc}
    for group in network["securityGroupIds"]:
        if group not in groups:
            raise invalid(f"The security group '{group}' does not exist")


def _authentication(providers: list[str], saml: Mapping[str, Any] | None) -> dict[str, Any]:
    found: dict[str, Any] = {"providers": providers}
    if "SAML" in providers:
        found["samlConfigurationStatus"] = "CONFIGURED" if saml else "NOT_CONFIGURED"
    return found


def _authentication_in_full(one: Workspace) -> dict[str, Any]:
    found: dict[str, Any] = {"providers": one.members["authentication"]["providers"]}
    if "SAML" in found["providers"]:
        found["saml"] = {"status": "CONFIGURED" if one.saml else "NOT_CONFIGURED"}
        if one.saml:
            found["saml"]["configuration"] = one.saml
    if "AWS_SSO" in found["providers"]:
        found["awsSso"] = {}
    return found


def _later(one: str, other: str) -> bool:
    return tuple(map(int, one.split("."))) > tuple(map(int, other.split(".")))


def _paged(call: Call, name: str, found: list[Any]) -> dict[str, Any]:
    return paged(call, name, found, maximum=100, size_member="maxResults", next_member="nextToken")


tag_operations("grafana", lambda call: _tagged(call).members["tags"])
