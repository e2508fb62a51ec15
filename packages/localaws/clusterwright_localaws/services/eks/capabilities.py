"""Capabilities: Argo CD, ACK and kro. They do not run.

Sources: botocore 1.44.5 (shapes); EKS user guide, "Amazon EKS capability IAM role" (trust of
capabilities.eks.amazonaws.com, same account, automatic access entries).
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.services.eks import access, checks
from clusterwright_localaws.services.eks.lists import listed
from clusterwright_localaws.services.eks.state import (
    ChildResource,
    active,
    begin,
    cluster_of,
    in_use,
    invalid,
    new_child,
    not_found,
    store_of,
)

PRINCIPAL = "capabilities.eks.amazonaws.com"
UNKNOWN_VERSION = "0.0.1"
"""Return a placeholder version: versions of capabilities are not sourced."""

_SUMMARY = ("capabilityName", "type", "version")


@operation("eks", "CreateCapability")
def create_capability(call: Call) -> Mapping[str, Any]:
    store, request, cluster = store_of(call), call.parameters, active(cluster_of(call))
    name = request["capabilityName"]
    if name in cluster.capabilities:
        raise in_use(f"Capability already exists: {name}")
    _check_role(call, request["roleArn"])
    configuration = copy.deepcopy(dict(request.get("configuration") or {}))
    _check_configuration(request["type"], configuration)
    found = new_child(
        call,
        cluster,
        "capability",
        request["type"].lower(),
        name,
        capabilityName=name,
        clusterName=cluster.name,
        type=request["type"],
        roleArn=request["roleArn"],
        version=UNKNOWN_VERSION,
        deletePropagationPolicy=request["deletePropagationPolicy"],
    )
    if configuration:
        found.members["configuration"] = configuration
    cluster.capabilities[name] = found
    # Without policies: permissions in Kubernetes are the user's decision.
    if request["roleArn"] not in cluster.access_entries:
        access.add_entry(cluster, request["roleArn"], "STANDARD", call.now)
    store.after(call.world.delays.addon, lambda: setattr(found, "status", "ACTIVE"))
    return {"capability": found.view("arn")}


@operation("eks", "DescribeCapability")
def describe_capability(call: Call) -> Mapping[str, Any]:
    return {"capability": _capability(call).view("arn")}


@operation("eks", "ListCapabilities")
def list_capabilities(call: Call) -> Mapping[str, Any]:
    found = [
        {
            **{name: one.members[name] for name in _SUMMARY},
            "arn": one.arn,
            "status": one.status,
            "createdAt": one.created_at,
            "modifiedAt": one.modified_at,
        }
        for _, one in sorted(cluster_of(call).capabilities.items())
    ]
    return listed(call, "capabilities", found)


@operation("eks", "UpdateCapability")
def update_capability(call: Call) -> Mapping[str, Any]:
    store, request, found = store_of(call), call.parameters, _capability(call)
    if found.status not in ("ACTIVE", "DEGRADED", "CREATE_FAILED"):
        raise in_use(f"Capability {request['capabilityName']} is {found.status}")
    if request.get("roleArn"):
        _check_role(call, request["roleArn"])
    members = {**found.members, "configuration": _changed(found, request)}
    for name in ("roleArn", "deletePropagationPolicy"):
        if request.get(name):
            members[name] = request[name]
    if not members["configuration"]:
        del members["configuration"]
    update = begin(store, cluster_of(call), "CapabilityUpdate", {}, call.now)
    found.status = "UPDATING"

    def done() -> None:
        found.members = members
        found.status = "ACTIVE"
        found.modified_at = call.runtime.clock.now()
        update.status = "Successful"

    answer = {"update": update.view()}
    store.after(call.world.delays.addon, done)
    return answer


@operation("eks", "DeleteCapability")
def delete_capability(call: Call) -> Mapping[str, Any]:
    store, cluster, found = store_of(call), cluster_of(call), _capability(call)
    name = found.members["capabilityName"]
    if found.status in ("CREATING", "UPDATING", "DELETING"):
        raise in_use(f"Capability {name} is {found.status}")
    found.status = "DELETING"
    answer = {"capability": found.view("arn")}
    store.after(call.world.delays.addon, lambda: cluster.capabilities.pop(name, None))
    return answer


def _check_role(call: Call, arn: str) -> None:
    checks.require_role(
        arn,
        PRINCIPAL,
        f"The role {arn} does not exist or its trust policy does not let {PRINCIPAL} assume it.",
    )


def _check_configuration(kind: str, configuration: Mapping[str, Any]) -> None:
    own = {"ARGOCD": "argoCd", "ACK": "ack"}.get(kind)
    for name in configuration:
        if name != own:
            raise invalid(f"configuration.{name} is not for a capability of type {kind}")
    if kind == "ARGOCD" and "argoCd" not in configuration:
        raise invalid("A capability of type ARGOCD needs configuration.argoCd")


def _changed(found: ChildResource, request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration with role mappings added, replaced and removed."""
    configuration = copy.deepcopy(dict(found.members.get("configuration", {})))
    requested = request.get("configuration") or {}
    _check_configuration(found.members["type"], {**configuration, **requested})
    if "ack" in requested:
        configuration["ack"] = {**configuration.get("ack", {}), **requested["ack"]}
    argocd = requested.get("argoCd") or {}
    if "networkAccess" in argocd:
        configuration["argoCd"]["networkAccess"] = argocd["networkAccess"]
    mappings = argocd.get("rbacRoleMappings")
    if mappings:
        roles = {
            mapping["role"]: mapping
            for mapping in configuration["argoCd"].get("rbacRoleMappings", ())
        }
        roles |= {
            mapping["role"]: mapping for mapping in mappings.get("addOrUpdateRoleMappings", ())
        }
        for mapping in mappings.get("removeRoleMappings", ()):
            roles.pop(mapping["role"], None)
        configuration["argoCd"]["rbacRoleMappings"] = list(roles.values())
    return configuration


def _capability(call: Call) -> ChildResource:
    requested = call.parameters["capabilityName"]
    found = cluster_of(call).capabilities.get(requested)
    if found is None:
        raise not_found(f"No capability found with name: {requested}")
    return found
