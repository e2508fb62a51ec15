"""Access entries and the access policies associated with them.

Messages: terraform-aws-modules/terraform-aws-eks#2969, #3024 and #3048, aws/eks-distro#2805,
hashicorp/terraform-provider-aws#36447. The policies are those of the AWS CLI's example of
`eks list-access-policies`; other names are refused.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from clusterwright_localaws.core.call import Call, operation
from clusterwright_localaws.iam import entities
from clusterwright_localaws.services.eks.lists import listed
from clusterwright_localaws.services.eks.state import (
    ChildResource,
    EksCluster,
    active,
    bad_request,
    cluster_of,
    in_use,
    invalid,
    not_found,
    over_limit,
)

POLICIES = (
    "AmazonEKSAdminPolicy",
    "AmazonEKSAdminViewPolicy",
    "AmazonEKSAutoNodePolicy",
    "AmazonEKSBlockStorageClusterPolicy",
    "AmazonEKSBlockStoragePolicy",
    "AmazonEKSClusterAdminPolicy",
    "AmazonEKSComputeClusterPolicy",
    "AmazonEKSComputePolicy",
    "AmazonEKSEditPolicy",
    "AmazonEKSHybridPolicy",
    "AmazonEKSLoadBalancingClusterPolicy",
    "AmazonEKSLoadBalancingPolicy",
    "AmazonEKSNetworkingClusterPolicy",
    "AmazonEKSNetworkingPolicy",
    "AmazonEKSViewPolicy",
    "AmazonEMRJobPolicy",
    "AmazonSagemakerHyperpodClusterPolicy",
    "AmazonSagemakerHyperpodControllerPolicy",
    "AmazonSagemakerHyperpodSystemNamespacePolicy",
)
ADMINISTRATOR = "AmazonEKSClusterAdminPolicy"
# "Access entries per cluster" (AWS General Reference), a quota without a code.
MAX_ENTRIES = 3000
# API model, CreateAccessEntry.type.
TYPES = ("STANDARD", "EC2", "EC2_LINUX", "EC2_WINDOWS", "FARGATE_LINUX", "HYBRID_LINUX")
HYPERPOD_TYPE = "HYPERPOD_LINUX"
_NODES = {
    "EC2_LINUX": ["system:nodes"],
    "EC2_WINDOWS": ["eks:kube-proxy-windows", "system:nodes"],
    "HYBRID_LINUX": ["system:nodes"],
    "FARGATE_LINUX": ["system:nodes"],
    "HYPERPOD_LINUX": ["system:nodes"],
    "EC2": ["system:nodes"],
}
_PRINCIPAL = re.compile(r"arn:aws[a-z-]*:(iam|sts)::\d{12}:(role|user|root|federated-user)(/.+)?")


@operation("eks", "CreateAccessEntry")
def create_access_entry(call: Call) -> Mapping[str, Any]:
    return {"accessEntry": _create(call).view("accessEntryArn", "policies")}


@operation("eks", "DescribeAccessEntry")
def describe_access_entry(call: Call) -> Mapping[str, Any]:
    return {"accessEntry": _entry(call).view("accessEntryArn", "policies")}


@operation("eks", "ListAccessEntries")
def list_access_entries(call: Call) -> Mapping[str, Any]:
    cluster = _cluster(call)
    policy = call.parameters.get("associatedPolicyArn")
    found = sorted(
        arn
        for arn, entry in cluster.access_entries.items()
        if policy is None or policy in entry.members["policies"]
    )
    return listed(call, "accessEntries", found)


@operation("eks", "UpdateAccessEntry")
def update_access_entry(call: Call) -> Mapping[str, Any]:
    request, entry = call.parameters, _entry(call)
    if entry.members["type"] != "STANDARD":
        raise bad_request("Only access entries of type STANDARD can be updated.")
    if "kubernetesGroups" in request:
        _check_groups(request["kubernetesGroups"])
        entry.members["kubernetesGroups"] = list(request["kubernetesGroups"])
    if request.get("username"):
        _check_username(request["username"])
        entry.members["username"] = request["username"]
    entry.modified_at = call.now
    return {"accessEntry": entry.view("accessEntryArn", "policies")}


@operation("eks", "DeleteAccessEntry")
def delete_access_entry(call: Call) -> Mapping[str, Any]:
    entry = _entry(call)
    del _cluster(call).access_entries[entry.members["principalArn"]]
    return {}


@operation("eks", "ListAccessPolicies")
def list_access_policies(call: Call) -> Mapping[str, Any]:
    found = [{"name": name, "arn": policy_arn(call, name)} for name in POLICIES]
    return listed(call, "accessPolicies", found)


@operation("eks", "AssociateAccessPolicy")
def associate_access_policy(call: Call) -> Mapping[str, Any]:
    request, entry = call.parameters, _entry(call)
    if entry.members["type"] not in ("STANDARD", "EC2"):
        raise invalid(
            "Access policies can only be associated with access entries of type STANDARD or EC2."
        )
    arn = request["policyArn"]
    if arn not in {policy_arn(call, name) for name in POLICIES}:
        raise invalid(f"The policyArn parameter format is not valid: {arn}")
    scope = request["accessScope"]
    kind, namespaces = scope.get("type", "cluster"), list(scope.get("namespaces", ()))
    if (kind == "namespace") != bool(namespaces):
        raise invalid(
            "namespaces must be given with the access scope type namespace, and only with it"
        )
    before = entry.members["policies"].get(arn)
    association = {
        "policyArn": arn,
        "accessScope": {"type": kind, "namespaces": namespaces},
        "associatedAt": before["associatedAt"] if before else call.now,
        "modifiedAt": call.now,
    }
    entry.members["policies"][arn] = association
    return {
        "clusterName": request["clusterName"],
        "principalArn": request["principalArn"],
        "associatedAccessPolicy": association,
    }


@operation("eks", "DisassociateAccessPolicy")
def disassociate_access_policy(call: Call) -> Mapping[str, Any]:
    policies = _entry(call).members["policies"]
    if call.parameters["policyArn"] not in policies:
        raise not_found(
            "The specified policyArn could not be found. You can view your associated access "
            "policies with 'list-associated-access-policies'."
        )
    del policies[call.parameters["policyArn"]]
    return {}


@operation("eks", "ListAssociatedAccessPolicies")
def list_associated_access_policies(call: Call) -> Mapping[str, Any]:
    entry = _entry(call)
    found = sorted(entry.members["policies"].values(), key=lambda policy: str(policy["policyArn"]))
    return {
        "clusterName": call.parameters["clusterName"],
        "principalArn": call.parameters["principalArn"],
        **listed(call, "associatedAccessPolicies", found),
    }


def policy_arn(call: Call, name: str) -> str:
    return f"arn:{call.partition}:eks::aws:cluster-access-policy/{name}"


def admit_creator(call: Call, cluster: EksCluster) -> None:
    """Create the entry of bootstrapClusterCreatorAdminPermissions, for the caller's account."""
    admit(call, cluster, f"arn:{call.partition}:iam::{call.account}:root", ADMINISTRATOR)


def admit(call: Call, cluster: EksCluster, principal_arn: str, policy: str) -> None:
    """Create an entry with an access policy for the whole cluster."""
    entry = add_entry(cluster, principal_arn, "STANDARD", call.now)
    arn = policy_arn(call, policy)
    entry.members["policies"][arn] = {
        "policyArn": arn,
        "accessScope": {"type": "cluster", "namespaces": []},
        "associatedAt": call.now,
        "modifiedAt": call.now,
    }


def add_entry(
    cluster: EksCluster,
    principal_arn: str,
    kind: str,
    now: datetime,
    *,
    groups: list[str] | None = None,
    username: str | None = None,
) -> ChildResource:
    """Create an access entry; entries of nodes get AWS's user name and groups."""
    kind_of_principal, _, rest = principal_arn.split(":")[5].partition("/")
    entry = ChildResource(
        arn=cluster.arn_of(
            "access-entry",
            cluster.name,
            kind_of_principal,
            cluster.account,
            rest.rsplit("/", 1)[-1] or "root",
            str(uuid.uuid4()),
        ),
        created_at=now,
        modified_at=now,
        status="",
        members={
            "principalArn": principal_arn,
            "clusterName": cluster.name,
            "kubernetesGroups": groups or _NODES.get(kind, []),
            "username": username or _username(principal_arn, kind),
            "type": kind,
            "policies": {},
        },
    )
    cluster.access_entries[principal_arn] = entry
    return entry


def _create(call: Call) -> ChildResource:
    request, cluster = call.parameters, active(_cluster(call))
    arn, kind = str(request["principalArn"]), str(request.get("type") or "STANDARD")
    if kind not in (*TYPES, HYPERPOD_TYPE):
        raise invalid(f"The type {kind} is not one of {', '.join((*TYPES, HYPERPOD_TYPE))}")
    if arn in cluster.access_entries:
        raise in_use("The specified access entry resource is already in use on this cluster.")
    _check_principal(call, arn, kind)
    if kind != "STANDARD" and (request.get("kubernetesGroups") or request.get("username")):
        raise bad_request(
            "kubernetesGroups and username can only be specified for access entries of type "
            "STANDARD."
        )
    _check_groups(request.get("kubernetesGroups", ()))
    if request.get("username"):
        _check_username(request["username"])
    if len(cluster.access_entries) >= MAX_ENTRIES:
        raise over_limit(f"A cluster has at most {MAX_ENTRIES} access entries.")
    entry = add_entry(
        cluster,
        arn,
        kind,
        call.now,
        groups=list(request.get("kubernetesGroups", ())),
        username=request.get("username"),
    )
    entry.tags.update(request.get("tags", {}))
    return entry


def _check_principal(call: Call, arn: str, kind: str) -> None:
    if not _PRINCIPAL.fullmatch(arn) or arn.split(":")[2] == "sts":
        raise invalid("The specified principalArn is invalid: invalid format.")
    if ":role/aws-service-role/" in arn:
        raise invalid(
            "The caller is not allowed to modify access entries with a principalArn value of a "
            "Service Linked Role"
        )
    account, name = arn.split(":")[4], arn.split(":")[5]
    if kind != "STANDARD" and not name.startswith("role/"):
        raise invalid("The specified principalArn is invalid: node types need an IAM role.")
    if account != call.account or name == "root":
        return
    there = (
        entities.role_of(arn) is not None
        if name.startswith("role/")
        else entities.user_of(arn) is not None
    )
    if not there:
        raise invalid("The specified principalArn is invalid: invalid principal.")


def _check_groups(groups: Any) -> None:
    # "eks:", "aws:", "amazon:" and "iam:" are refused too (API model, CreateAccessEntry).
    for name in groups:
        if name.startswith(("system:", "eks:", "aws:", "amazon:", "iam:")):
            raise invalid(
                f"The kubernetes group name {name} is invalid, it cannot start with system:"
                if name.startswith("system:")
                else f"The kubernetes group name {name} is invalid: its prefix is reserved"
            )


def _check_username(name: str) -> None:
    if name.startswith(("system:", "eks:", "aws:", "amazon:", "iam:")):
        raise invalid(f"The username {name} is invalid: its prefix is reserved")


def _username(principal_arn: str, kind: str) -> str:
    if kind in ("EC2_LINUX", "EC2_WINDOWS", "EC2"):
        return "system:node:{{EC2PrivateDNSName}}"
    if kind in _NODES:
        return "system:node:{{SessionName}}"
    parts = principal_arn.split(":")
    if parts[5].startswith("role/"):
        name = parts[5].rsplit("/", 1)[-1]
        return f"arn:{parts[1]}:sts::{parts[4]}:assumed-role/{name}/{{{{SessionName}}}}"
    return principal_arn


def _cluster(call: Call) -> EksCluster:
    cluster = cluster_of(call)
    if cluster.authentication_mode == "CONFIG_MAP":
        raise bad_request(
            "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] "
            "to perform this operation."
        )
    return cluster


def _entry(call: Call) -> ChildResource:
    found = _cluster(call).access_entries.get(call.parameters["principalArn"])
    if found is None:
        raise not_found(
            "The specified principalArn could not be found. You can view your available access "
            "entries with 'list-access-entries'."
        )
    return found
