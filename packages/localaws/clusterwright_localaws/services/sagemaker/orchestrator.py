"""Checks of the Amazon EKS cluster that orchestrates HyperPod, and of EKS-only fields.

Sources: "Getting started with Amazon EKS support in SageMaker HyperPod" (versions, authentication
modes, private subnets, as read in 2026), the API model (botocore 1.44.5). AWS's messages are not
known; these are ours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.eks.state import store_in as eks_store
from clusterwright_localaws.services.sagemaker.state import Cluster, Clusters

KUBERNETES_VERSIONS = ("1.30", "1.31", "1.32", "1.33", "1.34", "1.35")
AUTHENTICATION_MODES = ("API", "API_AND_CONFIG_MAP")
_ARN = re.compile(r"arn:aws[a-z-]*:eks:([a-z0-9-]+):(\d{12}):cluster/([0-9A-Za-z][A-Za-z0-9_-]*)")


def check_orchestrator(
    call: Call, clusters: Clusters, request: Mapping[str, Any], *, cluster: Cluster | None = None
) -> None:
    """Refuse an EKS cluster that cannot orchestrate, and EKS fields without an EKS cluster.

    Raises
    ------
    AwsError
        ValidationException.
    """
    eks = (request.get("Orchestrator") or {}).get("Eks")
    _check_fields(request, eks=eks is not None)
    if eks is None:
        return
    arn = str(eks["ClusterArn"])
    parts = _ARN.fullmatch(arn)
    if parts is None:
        raise _invalid(f"{arn} is not the ARN of an Amazon EKS cluster.")
    region, account, name = parts.groups()
    if (account, region) != (call.account, call.region):
        raise _invalid(
            f"The Amazon EKS cluster {arn} must be in the account and Region of the HyperPod "
            "cluster."
        )
    if cluster is not None:
        return  # it was checked when the cluster was created
    store = eks_store(call.runtime, account, region)
    store.advance()
    found = store.clusters.get(name)
    if found is None:
        raise _invalid(f"The Amazon EKS cluster {arn} does not exist.")
    if found.status not in ("ACTIVE", "UPDATING"):
        raise _invalid(f"The Amazon EKS cluster {arn} is not active: it is {found.status}.")
    if found.version not in KUBERNETES_VERSIONS:
        raise _invalid(
            f"The Amazon EKS cluster {arn} has Kubernetes version {found.version}; SageMaker "
            f"HyperPod supports {', '.join(KUBERNETES_VERSIONS)}."
        )
    if found.authentication_mode not in AUTHENTICATION_MODES:
        raise _invalid(
            f"The authentication mode of the Amazon EKS cluster {arn} is "
            f"{found.authentication_mode}; SageMaker HyperPod supports "
            f"{' and '.join(AUTHENTICATION_MODES)}."
        )
    _check_vpc(clusters, request, found.vpc_id, arn)
    for other in clusters.by_name.values():
        if other.eks_arn == arn:
            raise _invalid(
                f"The Amazon EKS cluster {arn} orchestrates the HyperPod cluster {other.name} "
                "already."
            )


def _check_vpc(clusters: Clusters, request: Mapping[str, Any], vpc_id: str, arn: str) -> None:
    for subnet_id in (request.get("VpcConfig") or {}).get("Subnets", ()):
        subnet = clusters.network.subnet(subnet_id)
        if subnet is not None and subnet.vpc_id != vpc_id:
            raise _invalid(
                f"Subnet {subnet_id} is in {subnet.vpc_id}; the Amazon EKS cluster {arn} is in "
                f"{vpc_id}."
            )


def _check_fields(request: Mapping[str, Any], *, eks: bool) -> None:
    groups = [*request.get("InstanceGroups", ()), *request.get("RestrictedInstanceGroups", ())]
    scaling = request.get("AutoScaling") or {}
    if not eks:
        for name in ("AutoScaling", "TieredStorageConfig", "RestrictedInstanceGroups"):
            if request.get(name):
                raise _invalid(
                    f"{name} is only supported for clusters orchestrated by Amazon EKS."
                )
        for group in groups:
            if group.get("KubernetesConfig"):
                raise _invalid(
                    f"KubernetesConfig of instance group {group['InstanceGroupName']} is only "
                    "supported for clusters orchestrated by Amazon EKS."
                )
    if scaling.get("Mode") == "Enable":
        if request.get("NodeProvisioningMode") != "Continuous":
            raise _invalid("AutoScaling needs Continuous as the NodeProvisioningMode.")
        if not request.get("ClusterRole"):
            # API model: "This is only required when autoscaling is enabled".
            raise _invalid("ClusterRole is required when AutoScaling is enabled.")
    if request.get("RestrictedInstanceGroupsConfig") and not request.get(
        "RestrictedInstanceGroups"
    ):
        raise _invalid("RestrictedInstanceGroupsConfig needs RestrictedInstanceGroups.")
    for group in groups:
        _check_kubernetes(group)


def _check_kubernetes(group: Mapping[str, Any]) -> None:
    """Check taints and labels; the API model checks their keys and values."""
    config = group.get("KubernetesConfig") or {}
    seen = set()
    for taint in config.get("Taints") or ():
        identity = (taint["Key"], taint["Effect"])
        if identity in seen:
            raise _invalid(
                f"Taint {taint['Key']} with effect {taint['Effect']} of instance group "
                f"{group['InstanceGroupName']} is given twice."
            )
        seen.add(identity)


def _invalid(message: str) -> AwsError:
    return AwsError("ValidationException", message)
