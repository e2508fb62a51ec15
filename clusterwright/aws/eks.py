"""EKS: the clusters of an account."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clusterwright.aws.errors import none_if_not_found
from clusterwright.aws.session import AwsSession


def cluster_names(session: AwsSession) -> tuple[str, ...]:
    """Return the names of every EKS cluster of the account in the region."""
    return tuple(name for name in session.items("eks", "ListClusters", "clusters"))


@dataclass(frozen=True)
class KubernetesCluster:
    """A control plane, with the address of its Kubernetes API."""

    name: str
    status: str
    version: str | None
    endpoint: str | None
    issues: tuple[str, ...]


@dataclass(frozen=True)
class Nodegroup:
    """A managed node group; `issues` are code and message of its health."""

    name: str
    status: str
    labels: Mapping[str, str]
    desired_count: int | None
    instance_types: tuple[str, ...]
    capacity_type: str | None
    issues: tuple[str, ...]


@none_if_not_found()
def kubernetes_cluster(session: AwsSession, name: str) -> KubernetesCluster | None:
    """Return a control plane; None if there is none of that name.

    Raises
    ------
    AwsUnavailable
        AWS did not answer.
    """
    found = session.call("eks", "DescribeCluster", name=name)["cluster"]
    return KubernetesCluster(
        found["name"],
        found["status"],
        found.get("version"),
        found.get("endpoint"),
        _issues(found),
    )


@none_if_not_found()
def nodegroup_names(session: AwsSession, cluster: str) -> tuple[str, ...] | None:
    """Return the names of a cluster's managed node groups; None if there is no such cluster."""
    return tuple(session.items("eks", "ListNodegroups", "nodegroups", clusterName=cluster))


def nodegroup(session: AwsSession, cluster: str, name: str) -> Nodegroup:
    """Return a managed node group.

    Raises
    ------
    AwsUnavailable
        AWS did not answer.
    """
    found = session.call("eks", "DescribeNodegroup", clusterName=cluster, nodegroupName=name)[
        "nodegroup"
    ]
    return Nodegroup(
        name,
        found["status"],
        found.get("labels") or {},
        (found.get("scalingConfig") or {}).get("desiredSize"),
        tuple(found.get("instanceTypes") or ()),
        found.get("capacityType"),
        _issues(found),
    )


def _issues(found: Mapping[str, Any]) -> tuple[str, ...]:
    issues = (found.get("health") or {}).get("issues") or ()
    return tuple(f"{issue.get('code')}: {issue.get('message')}" for issue in issues)
