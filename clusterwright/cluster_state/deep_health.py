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
            ident = _instance_of(stream, text)
            if ident is None or at <= since.get(ident, at):
                continue
            result = _result(ident, at, text)
            if result is not None and not result.passed:
                found[ident] = DeepHealthOutcome(failure=result)
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
        ident = _instance_of(stream, text)
        result = _result(ident, at, text) if ident is not None else None
        if result is not None:
            found[result.instance_id] = result
    return found


def _instance_of(stream: str, text: str) -> str | None:
    found = _INSTANCE.search(text) or _INSTANCE.search(stream)
    return found.group(0) if found is not None else None


def _result(ident: str, at: dt.datetime, text: str) -> DeepHealthResult | None:
    """What a line says of an instance; None if it has no result."""
    fault = _FAULTY.search(text)
    if fault is None:
        return DeepHealthResult(ident, at, True) if _PASSED.search(text) else None
    reason = _REASON.search(text)
    return DeepHealthResult(
        ident,
        at,
        False,
        "reboot" if (fault.group(1) or "").lower() == "reboot" else "replace",
        reason.group(1).strip()[:_LONGEST] if reason else "FaultyInstance",
    )
