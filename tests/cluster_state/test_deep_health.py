"""Results of HyperPod's deep health checks in its log groups: the newest of each instance."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest

from clusterwright.aws import logs
from clusterwright.cluster_state import deep_health
from clusterwright.cluster_state.deep_health import DeepHealthResult, newest
from clusterwright.platforms.loading import load_cluster
from tests.support.rich_specs import MINIMAL
from tests.support.specs import write

NOW = dt.datetime(2026, 11, 23, 8, 0, tzinfo=dt.UTC)
FIRST, SECOND = "i-0123456789abcdef0", "i-0123456789abcdef1"


def faulty(action: str = "Replace", text: str = "Expected minimum threshold :80, Bw: 30") -> str:
    msg = f"Encountered FaultyInstance. {action} the Instance. Region: us-east-1. ERROR:{text}"
    return json.dumps({"level": "error", "ts": "2026-11-23T08:00:00Z", "msg": msg})


def line(minutes: int, text: str, stream: str = FIRST) -> tuple[str, dt.datetime, str]:
    return f"DeepHealthCheckResults/{stream}", NOW + dt.timedelta(minutes=minutes), text


def test_the_newest_result_of_an_instance_counts() -> None:
    passed = "2026-11-23T08:00:00Z  info  InstanceStress success"
    found = newest(
        [
            line(2, passed),
            line(1, faulty()),
            line(1, passed, SECOND),
            line(2, faulty("Reboot", "DCGM failed"), SECOND),
            line(3, "2026-11-23T08:00:00Z  info  CPU stress begins", SECOND),
        ]
    )
    assert found == {
        FIRST: DeepHealthResult(FIRST, NOW + dt.timedelta(minutes=2), True),
        SECOND: DeepHealthResult(
            SECOND, NOW + dt.timedelta(minutes=2), False, "reboot", "DCGM failed"
        ),
    }


def test_a_line_is_about_the_instance_that_it_names() -> None:
    found = newest([line(0, f"{SECOND}: {faulty()}"), line(0, faulty(), "connectivity")])
    assert set(found) == {SECOND}
    assert found[SECOND].action == "replace"
    assert found[SECOND].reason == "Expected minimum threshold :80, Bw: 30"


def test_only_the_clusters_log_groups_are_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    asked: list[tuple[Any, ...]] = []

    def names(_: object, prefix: str) -> tuple[str, ...]:
        asked.append((prefix,))
        return (f"{prefix}abc",)

    def lines(_: object, group: str, prefix: str, since: dt.datetime) -> Any:
        asked.append((group, prefix, since))
        return (line(0, faulty()),)

    monkeypatch.setattr(logs, "log_group_names", names)
    monkeypatch.setattr(logs, "lines_of_streams", lines)
    cluster = load_cluster(write(tmp_path / "s.yaml", MINIMAL)).cluster
    session: Any = object()
    assert set(deep_health.deep_health_results(session, cluster, NOW)) == {FIRST}
    group = "/aws/sagemaker/Clusters/test/"
    assert asked == [
        (group,),
        (f"{group}abc", "DeepHealthCheckResults/", NOW - dt.timedelta(days=30)),
    ]


def test_outcomes_of_checks_that_were_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    stress, connectivity = "InstanceStress success", "InstanceConnectivity success"
    third = "i-0123456789abcdef2"
    found = (
        line(-1, faulty()),
        line(1, stress),
        line(2, connectivity),
        line(1, stress, SECOND),
        line(2, faulty("Reboot", "DCGM failed"), SECOND),
        line(3, stress, SECOND),
        line(1, stress, third),
    )
    monkeypatch.setattr(logs, "log_group_names", lambda *_: ("g",))
    monkeypatch.setattr(logs, "lines_of_streams", lambda *_: found)
    cluster = load_cluster(write(tmp_path / "s.yaml", MINIMAL)).cluster
    session: Any = object()
    checks = ("InstanceStress", "InstanceConnectivity")
    outcomes = deep_health.outcomes(session, cluster, dict.fromkeys((FIRST, SECOND), NOW), checks)
    assert set(outcomes) == {FIRST, SECOND}
    assert outcomes[FIRST] == deep_health.DeepHealthOutcome(frozenset(checks), None)
    assert outcomes[SECOND].passed == {"InstanceStress"}
    assert outcomes[SECOND].failure is not None
    assert outcomes[SECOND].failure.reason == "DCGM failed"
    assert deep_health.outcomes(session, cluster, {}, checks) == {}
