"""Amazon Managed Service for Prometheus: rule groups namespaces and alert managers.

https://docs.aws.amazon.com/prometheus/latest/APIReference/API_CreateRuleGroupsNamespace.html
https://docs.aws.amazon.com/prometheus/latest/APIReference/API_CreateAlertManagerDefinition.html
Both are accepted first and read then: what is not valid ends in CREATION_FAILED or UPDATE_FAILED,
with the reason, and can be replaced. No rule is evaluated and no alert is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from clusterwright_localaws.core import moto_state
from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.core.pagination import paged
from clusterwright_localaws.core.timers import timers
from clusterwright_localaws.services.amp.definitions import alert_manager_fault, rules_fault
from clusterwright_localaws.services.workspace_errors import conflict, missing

_MOST_IN_A_PAGE = 1000


@dataclass
class Definition:
    """A rules file or an alert manager definition."""

    data: bytes
    state: str
    created: datetime
    modified: datetime
    reason: str | None = None

    @property
    def status(self) -> dict[str, str]:
        """The status as the API has it."""
        return {
            "statusCode": self.state,
            **({"statusReason": self.reason} if self.reason is not None else {}),
        }

    @property
    def members(self) -> dict[str, Any]:
        """The members that all descriptions have."""
        return {"status": self.status, "createdAt": self.created, "modifiedAt": self.modified}


@operation("amp", "CreateRuleGroupsNamespace")
def create_rule_groups(call: Call) -> Mapping[str, Any]:
    name, found = call.parameters["name"], _namespaces(call)
    if name in found:
        raise conflict(f"Rule groups namespace already exists: {name}", name, "RuleGroups")
    found[name] = _created(call)
    tags = call.parameters.get("tags")
    if tags:
        _backend(call).tag_resource(_arn(call, name), dict(tags))
    answer = _named(call, name)
    _read(call, found, name, lambda data: rules_fault(name, data))
    return answer


@operation("amp", "PutRuleGroupsNamespace")
def put_rule_groups(call: Call) -> Mapping[str, Any]:
    name, found = call.parameters["name"], _namespaces(call)
    _change(call, _namespace(call))
    answer = _named(call, name)
    _read(call, found, name, lambda data: rules_fault(name, data))
    return answer


@operation("amp", "DescribeRuleGroupsNamespace")
def describe_rule_groups(call: Call) -> Mapping[str, Any]:
    item, name = _namespace(call), call.parameters["name"]
    return {"ruleGroupsNamespace": {**_named(call, name), **item.members, "data": item.data}}


@operation("amp", "ListRuleGroupsNamespaces")
def list_rule_groups(call: Call) -> Mapping[str, Any]:
    prefix = str(call.parameters.get("name") or "")
    found = [
        {**_named(call, name), **item.members}
        for name, item in _namespaces(call).items()
        if name.startswith(prefix)
    ]
    return paged(
        call,
        "ruleGroupsNamespaces",
        found,
        maximum=_MOST_IN_A_PAGE,
        size_member="maxResults",
        next_member="nextToken",
    )


@operation("amp", "DeleteRuleGroupsNamespace")
def delete_rule_groups(call: Call) -> Mapping[str, Any]:
    _delete(call, _namespace(call), _namespaces(call), call.parameters["name"])
    return {}


@operation("amp", "CreateAlertManagerDefinition")
def create_alert_manager(call: Call) -> Mapping[str, Any]:
    definitions, workspace = _definitions(call), _workspace(call).workspace_id
    if workspace in definitions:
        raise conflict(
            f"Alert manager definition already exists in workspace {workspace}",
            workspace,
            "AlertManagerDefinition",
        )
    definitions[workspace] = _created(call)
    _read(call, definitions, workspace, alert_manager_fault)
    return {"status": {"statusCode": "CREATING"}}


@operation("amp", "PutAlertManagerDefinition")
def put_alert_manager(call: Call) -> Mapping[str, Any]:
    _change(call, _alert_manager(call))
    _read(call, _definitions(call), call.parameters["workspaceId"], alert_manager_fault)
    return {"status": {"statusCode": "UPDATING"}}


@operation("amp", "DescribeAlertManagerDefinition")
def describe_alert_manager(call: Call) -> Mapping[str, Any]:
    item = _alert_manager(call)
    return {"alertManagerDefinition": {**item.members, "data": item.data}}


@operation("amp", "DeleteAlertManagerDefinition")
def delete_alert_manager(call: Call) -> Mapping[str, Any]:
    _delete(call, _alert_manager(call), _definitions(call), call.parameters["workspaceId"])
    return {}


def _created(call: Call) -> Definition:
    return Definition(bytes(call.parameters["data"]), "CREATING", call.now, call.now)


def _change(call: Call, item: Definition) -> None:
    _refuse_busy(call, item)
    item.data, item.modified = bytes(call.parameters["data"]), call.now
    item.state, item.reason = "UPDATING", None


def _refuse_busy(call: Call, item: Definition) -> None:
    if item.state in ("CREATING", "UPDATING", "DELETING"):
        name = str(call.parameters.get("name") or call.parameters["workspaceId"])
        raise conflict(f"{name} is in state {item.state}", name, "Definition")


def _read(
    call: Call,
    found: Mapping[str, Definition],
    key: str,
    fault: Callable[[bytes], str | None],
) -> None:
    """Read a new definition after the world's delay, and settle its state."""
    item = found[key]

    def settle() -> None:
        reason = fault(item.data)
        if item.state == "CREATING":
            item.state = "ACTIVE" if reason is None else "CREATION_FAILED"
        elif item.state == "UPDATING":
            item.state = "ACTIVE" if reason is None else "UPDATE_FAILED"
        item.reason = reason

    timers().after(call.world.delays.workspace, settle)


def _delete(call: Call, item: Definition, found: dict[str, Definition], key: str) -> None:
    _refuse_busy(call, item)
    item.state = "DELETING"
    timers().after(call.world.delays.workspace, lambda: found.pop(key, None))


def _named(call: Call, name: str) -> dict[str, Any]:
    arn = _arn(call, name)
    return {
        "name": name,
        "arn": arn,
        "status": _namespaces(call)[name].status,
        "tags": _backend(call).list_tags_for_resource(arn),
    }


def _arn(call: Call, name: str) -> str:
    return call.arn("aps", f"rulegroupsnamespace/{call.parameters['workspaceId']}/{name}")


def _namespaces(call: Call) -> dict[str, Definition]:
    """The namespaces of the workspace, by name."""
    workspace = _workspace(call).workspace_id
    stored: dict[str, dict[str, Definition]] = call.runtime.store(
        "amp rule groups", call.account, call.region, dict
    )
    return stored.setdefault(workspace, {})


def _namespace(call: Call) -> Definition:
    name = call.parameters["name"]
    item = _namespaces(call).get(name)
    if item is None:
        raise missing(f"Rule groups namespace not found: {name}", name, "RuleGroups")
    return item


def _definitions(call: Call) -> dict[str, Definition]:
    return call.runtime.store("amp alert managers", call.account, call.region, dict)


def _alert_manager(call: Call) -> Definition:
    workspace = _workspace(call).workspace_id
    item = _definitions(call).get(workspace)
    if item is None:
        raise missing(
            f"Alert manager definition not found in workspace {workspace}",
            workspace,
            "AlertManagerDefinition",
        )
    return item


def _backend(call: Call) -> Any:
    return moto_state.backend("amp", call.account, call.region)


def _workspace(call: Call) -> Any:
    workspace_id = call.parameters["workspaceId"]
    found = _backend(call).workspaces.get(workspace_id)
    if found is None:
        raise missing("Workspace not found", workspace_id, "Workspace")
    return found
