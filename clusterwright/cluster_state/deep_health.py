"""Results of HyperPod's own deep health checks, from the cluster's log group.

HyperPod writes them to streams `DeepHealthCheckResults/ID` (Amazon SageMaker AI Developer Guide,
"Deep health checks"): `InstanceStress success`, or `Encountered FaultyInstance. Replace the
Instance. ... ERROR:TEXT`. No API returns them: DescribeClusterNode has a status and a message
while they run. A line counts for the instance in it or in the name of its stream.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from clusterwright.aws import logs
from clusterwright.aws.session import AwsSession
from clusterwright.cluster_spec.models.cluster import Cluster

STREAMS: Final = "DeepHealthCheckResults/"
KEPT: Final = dt.timedelta(days=30)
"""How far back results are read."""

_PASSED: Final = re.compile(r"\b(Instance(?:Stress|Connectivity)|MultiNode\w+)\b\s+success", re.I)
_FAULTY: Final = re.compile(r"Encountered FaultyInstance\.?\s*(Reboot|Replace)?", re.I)
_REASON: Final = re.compile(r"ERROR:\s*([^\"}]+)")
_INSTANCE: Final = re.compile(r"\bi-[0-9a-f]{8,17}\b")
_LONGEST: Final = 200


@dataclass(frozen=True)
class DeepHealthResult:
    """The last result of an instance; `action` and `reason` are of a failure."""

    instance_id: str
    at: dt.datetime
    passed: bool
    action: Literal["reboot", "replace"] | None = None
    reason: str = ""


Results = Mapping[str, DeepHealthResult]


def log_groups(cluster: Cluster) -> str:
    """The beginning of the names of the cluster's log groups."""
    return f"/aws/sagemaker/Clusters/{cluster.environment}/"


@dataclass(frozen=True)
class DeepHealthOutcome:
    """What checks that were started said of an instance: SageMaker's names of those that passed
    since its last failure, and that failure.
    """

    passed: frozenset[str] = frozenset()
    failure: DeepHealthResult | None = None


def outcomes(
    session: AwsSession,
    cluster: Cluster,
    since: Mapping[str, dt.datetime],
    checks: Iterable[str],
) -> dict[str, DeepHealthOutcome]:
    """The outcomes by instance id, of instances that `since` has, after its times.

    Raises
    ------
    AwsUnavailable
        The log groups cannot be listed or read, or have too many lines.
    """
    found: dict[str, DeepHealthOutcome] = {}
    if not since:
        return found
    names = {name.lower(): name for name in checks}
    for group in logs.log_group_names(session, log_groups(cluster)):
        lines = logs.lines_of_streams(session, group, STREAMS, min(since.values()))
        for stream, at, text in sorted(lines, key=lambda line: line[1]):
            instance = _INSTANCE.search(text) or _INSTANCE.search(stream)
            if instance is None or at <= since.get(instance.group(0), at):
                continue
            ident = instance.group(0)
            failure = newest([(stream, at, text)]).get(ident)
            if failure is not None and not failure.passed:
                found[ident] = DeepHealthOutcome(failure=failure)
                continue
            passed = {
                names[name.lower()] for name in _PASSED.findall(text) if name.lower() in names
            }
            before = found.get(ident, DeepHealthOutcome())
            found[ident] = DeepHealthOutcome(before.passed | passed, before.failure)
    return found


def deep_health_results(session: AwsSession, cluster: Cluster, now: dt.datetime) -> Results:
    """The newest result of each instance, by instance id.

    Raises
    ------
    AwsUnavailable
        The log groups cannot be listed or read, or have too many lines.
    """
    found: dict[str, DeepHealthResult] = {}
    for group in logs.log_group_names(session, log_groups(cluster)):
        found.update(newest(logs.lines_of_streams(session, group, STREAMS, now - KEPT)))
    return found


def newest(lines: Iterable[tuple[str, dt.datetime, str]]) -> dict[str, DeepHealthResult]:
    """The newest result of each instance in lines (stream, time, text)."""
    found: dict[str, DeepHealthResult] = {}
    for stream, at, text in sorted(lines, key=lambda line: line[1]):
        fault = _FAULTY.search(text)
        instance = _INSTANCE.search(text) or _INSTANCE.search(stream)
        if instance is None or (fault is None and _PASSED.search(text) is None):
            continue
        name = instance.group(0)
        if fault is None:
            found[name] = DeepHealthResult(name, at, True)
            continue
        reason = _REASON.search(text)
        found[name] = DeepHealthResult(
            name,
            at,
            False,
            "reboot" if (fault.group(1) or "").lower() == "reboot" else "replace",
            reason.group(1).strip()[:_LONGEST] if reason else "FaultyInstance",
        )
    return found
