"""AWS PCS: clusters, compute node groups and queues."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clusterwright.aws.errors import none_if_not_found
from clusterwright.aws.session import AwsSession


@dataclass(frozen=True)
class Cluster:
    """A cluster; `errors` are code and message of its last failure."""

    name: str
    id: str
    status: str
    size: str
    slurm_version: str
    errors: tuple[str, ...]
    arn: str = ""


@dataclass(frozen=True)
class Part:
    """A compute node group or a queue of a cluster."""

    name: str
    id: str
    status: str
    errors: tuple[str, ...]
    minimum: int | None = None
    maximum: int | None = None
    scripts_s3_uri: str | None = None
    """First argument of the group's lifecycle action before slurmd, if it is an S3 URI."""


def cluster_statuses(session: AwsSession) -> Mapping[str, str]:
    """Return the status of every cluster of the account in the region, by name.

    Raises
    ------
    AwsUnavailable
        AWS did not answer.
    """
    return {one["name"]: one["status"] for one in session.items("pcs", "ListClusters", "clusters")}


@none_if_not_found()
def cluster(session: AwsSession, name: str) -> Cluster | None:
    """Return a cluster; None if there is none of that name.

    Raises
    ------
    AwsUnavailable
        AWS did not answer.
    """
    found = session.call("pcs", "GetCluster", clusterIdentifier=name)["cluster"]
    return Cluster(
        found["name"],
        found["id"],
        found["status"],
        found["size"],
        found["scheduler"]["version"],
        _errors(found),
        found["arn"],
    )


def groups(session: AwsSession, name: str) -> tuple[Part, ...]:
    """Return the compute node groups of a cluster.

    Raises
    ------
    AwsUnavailable
        AWS did not answer.
    """
    listed = _listed_groups(session, name)
    return tuple(_group(session, name, one["id"]) for one in listed)


@none_if_not_found()
def images(session: AwsSession, name: str) -> frozenset[str] | None:
    """Return the images of the groups that are active; None if there is no cluster of that name.

    Raises
    ------
    AwsUnavailable
        AWS did not answer.
    """
    listed = _listed_groups(session, name)
    found = [_described(session, name, one["id"]) for one in listed if one["status"] == "ACTIVE"]
    return frozenset(one["amiId"] for one in found if one.get("amiId"))


def queues(session: AwsSession, name: str) -> tuple[Part, ...]:
    """Return the queues of a cluster.

    Raises
    ------
    AwsUnavailable
        AWS did not answer.
    """
    listed = session.items("pcs", "ListQueues", "queues", clusterIdentifier=name)
    found = []
    for one in listed:
        queue = session.call("pcs", "GetQueue", clusterIdentifier=name, queueIdentifier=one["id"])[
            "queue"
        ]
        found.append(Part(queue["name"], queue["id"], queue["status"], _errors(queue)))
    return tuple(found)


def _listed_groups(session: AwsSession, cluster_name: str) -> list[Mapping[str, Any]]:
    return list(
        session.items(
            "pcs", "ListComputeNodeGroups", "computeNodeGroups", clusterIdentifier=cluster_name
        )
    )


def _described(session: AwsSession, cluster_name: str, identifier: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = session.call(
        "pcs",
        "GetComputeNodeGroup",
        clusterIdentifier=cluster_name,
        computeNodeGroupIdentifier=identifier,
    )["computeNodeGroup"]
    return found


def _group(session: AwsSession, cluster_name: str, identifier: str) -> Part:
    found = _described(session, cluster_name, identifier)
    scaling = found["scalingConfiguration"]
    return Part(
        found["name"],
        found["id"],
        found["status"],
        _errors(found),
        scaling["minInstanceCount"],
        scaling["maxInstanceCount"],
        _scripts_s3_uri(found),
    )


def _scripts_s3_uri(group: Mapping[str, Any]) -> str | None:
    stages = (group.get("nodeLifecycleActions") or {}).get("stages") or {}
    first = next(
        (
            one["arguments"][0]
            for one in stages.get("nodeBootstrapped") or ()
            if one.get("arguments")
        ),
        "",
    )
    return str(first) if first.startswith("s3://") else None


def _errors(found: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(f"{one['code']}: {one['message']}" for one in found.get("errorInfo", ()))
