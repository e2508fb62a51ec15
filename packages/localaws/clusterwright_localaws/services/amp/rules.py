"""Amazon Managed Service for Prometheus: alert managers, and name conflicts of rule groups.

https://docs.aws.amazon.com/prometheus/latest/APIReference/API_CreateAlertManagerDefinition.html
Definitions are stored. No rule is evaluated and no alert is sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.errors import ForwardToMoto
from clusterwright_localaws.services.workspace_errors import conflict, missing


@operation("amp", "CreateRuleGroupsNamespace")
def create_rule_groups(call: Call) -> Mapping[str, Any]:
    name = call.parameters["name"]
    if name in _workspace(call).rule_group_namespaces:
        raise conflict(f"Rule groups namespace already exists: {name}", name, "RuleGroups")
    raise ForwardToMoto


@operation("amp", "CreateAlertManagerDefinition")
def create_alert_manager(call: Call) -> Mapping[str, Any]:
    definitions, workspace = _definitions(call), _workspace(call).workspace_id
    if workspace in definitions:
        raise conflict(
            f"Alert manager definition already exists in workspace {workspace}",
            workspace,
            "AlertManagerDefinition",
        )
    definitions[workspace] = {
        "status": {"statusCode": "ACTIVE"},
        "data": call.parameters["data"],
        "createdAt": call.now,
        "modifiedAt": call.now,
    }
    return {"status": {"statusCode": "CREATING"}}


@operation("amp", "PutAlertManagerDefinition")
def put_alert_manager(call: Call) -> Mapping[str, Any]:
    _find(call).update(data=call.parameters["data"], modifiedAt=call.now)
    return {"status": {"statusCode": "UPDATING"}}


@operation("amp", "DescribeAlertManagerDefinition")
def describe_alert_manager(call: Call) -> Mapping[str, Any]:
    return {"alertManagerDefinition": _find(call)}


@operation("amp", "DeleteAlertManagerDefinition")
def delete_alert_manager(call: Call) -> Mapping[str, Any]:
    _find(call)
    del _definitions(call)[call.parameters["workspaceId"]]
    return {}


def _definitions(call: Call) -> dict[str, dict[str, Any]]:
    return call.runtime.store("amp alert managers", call.account, call.region, dict)


def _find(call: Call) -> dict[str, Any]:
    workspace = _workspace(call).workspace_id
    found = _definitions(call).get(workspace)
    if found is None:
        raise missing(
            f"Alert manager definition not found in workspace {workspace}",
            workspace,
            "AlertManagerDefinition",
        )
    return found


def _workspace(call: Call) -> Any:
    workspace_id = call.parameters["workspaceId"]
    found = moto_state.backend("amp", call.account, call.region).workspaces.get(workspace_id)
    if found is None:
        raise missing("Workspace not found", workspace_id, "Workspace")
    return found
