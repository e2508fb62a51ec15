"""Lines of a cluster's log groups, the newest ones, bounded in time, streams and bytes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, Final

from clusterwright.aws.logs import newest_lines
from clusterwright.aws.session import AwsSession
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.diagnosis.log_lines import Line, Place, evidence
from clusterwright.diagnosis.model import Evidence

MAXIMUM_STREAMS: Final = 300
"""Of one log group, those with the newest events: at 1 MiB each at most 300 MiB."""

_STARTS: Final = ("LifecycleConfig/", "DeepHealthCheckResults/", "Clusterwright/")


_PCS: Final = "/aws/pcs/"
"""Log groups of PCS have the id of the cluster after it, which the spec does not know."""


def prefixes(cluster: Cluster) -> tuple[str, ...]:
    """Prefixes of the log groups of a cluster."""
    name = cluster.environment
    found = [f"/aws/sagemaker/Clusters/{name}/"] if cluster.on_hyperpod else []
    if cluster.uses_kubernetes:
        return (*found, f"/aws/eks/{name}/", f"/aws/containerinsights/{name}/")
    if cluster.traits.service_runs_controller:
        return (f"/clusterwright/{name}/nodes", _PCS)
    return tuple(found) or (f"/aws/parallelcluster/{name}-",)


def is_own(group: str, cluster: Cluster, pcs_id: str | None = None) -> bool:
    """Whether a log group with such a prefix is this cluster's: ParallelCluster adds a time, and
    PCS names the id of the cluster, `pcs_id`.
    """
    if group.startswith(_PCS):
        return pcs_id is not None and pcs_id in group
    prefix = f"/aws/parallelcluster/{cluster.environment}-"
    return not group.startswith(prefix) or group.removeprefix(prefix).isdigit()


def instance_of(stream: str) -> str:
    """The instance id in a stream's name: HyperPod's, ours and ParallelCluster's have it."""
    parts = stream.replace(".", "/").split("/")
    return next((part for part in parts if part.startswith("i-") and len(part) >= 10), "")


def wanted(
    streams: Sequence[Mapping[str, Any]],
    since: dt.datetime,
    instances: frozenset[str] | None,
) -> list[str]:
    """Names of the streams with lines since a time, of some instances or of all; those of the
    start of nodes first.
    """
    first = int(since.timestamp() * 1000)
    names = [
        str(stream["logStreamName"])
        for stream in streams
        if (stream.get("lastEventTimestamp") or stream.get("lastIngestionTime") or first) >= first
    ]
    if instances is not None:
        names = [n for n in names if not instance_of(n) or instance_of(n) in instances]
    return sorted(names, key=lambda name: not name.startswith(_STARTS))[:MAXIMUM_STREAMS]


def lines_of(
    session: AwsSession,
    group: str,
    stream: str,
    since: dt.datetime,
    nodes_by_instance: Mapping[str, str],
) -> tuple[int, tuple[Evidence, ...]]:
    """The number of lines of a stream, and the evidence in them.

    Raises
    ------
    AwsUnavailable
        The stream cannot be read.
    """
    found = newest_lines(session, group, stream, since)
    lines = [
        Line(text, number, time)
        for number, (time, message) in enumerate(found, start=1)
        for text in message.splitlines()
    ]
    instance = instance_of(stream)
    place = Place(
        f"log group {group}",
        stream,
        node=nodes_by_instance.get(instance, ""),
        instance=instance,
        fields={"log_group": group, "stream_name": stream},
    )
    return len(lines), evidence(lines, place)
