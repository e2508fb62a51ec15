"""Log groups, streams and lines of a cluster."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright.cluster_state import failure_logs
from clusterwright.platforms.loading import load_cluster
from tests.support.rich_specs import EKS_MINIMAL, MINIMAL, PARALLELCLUSTER_MINIMAL, PCS_MINIMAL
from tests.support.specs import write

SINCE = dt.datetime(2026, 11, 23, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("spec", "prefixes"),
    [
        (MINIMAL, ("/aws/sagemaker/Clusters/test/",)),
        (EKS_MINIMAL, ("/aws/eks/test/", "/aws/containerinsights/test/")),
        (PARALLELCLUSTER_MINIMAL, ("/aws/parallelcluster/test-",)),
    ],
)
def test_prefixes_by_platform(spec: Any, prefixes: tuple[str, ...], tmp_path: Any) -> None:
    cluster = load_cluster(write(tmp_path / "s.yaml", spec)).cluster
    assert failure_logs.prefixes(cluster) == prefixes
    assert failure_logs.is_own(f"{prefixes[0]}202611230800", cluster)
    other = "/aws/parallelcluster/test-eu-202611230800"
    assert not failure_logs.is_own(other, cluster) or cluster.platform != "parallelcluster"


def test_log_groups_of_other_pcs_clusters_are_not_read(tmp_path: Any) -> None:
    cluster = load_cluster(write(tmp_path / "s.yaml", PCS_MINIMAL)).cluster
    own, other = "/aws/pcs/pcs_1a/scheduler", "/aws/pcs/pcs_2b/scheduler"
    assert failure_logs.is_own(own, cluster, "pcs_1a")
    assert not failure_logs.is_own(other, cluster, "pcs_1a")
    assert not failure_logs.is_own(own, cluster)
    assert failure_logs.is_own("/clusterwright/test/nodes", cluster)


def test_instances_in_names_of_streams() -> None:
    for name in ("LifecycleConfig/workers/i-0123456789", "ip-10-0-0-1.i-0123456789.slurmd"):
        assert failure_logs.instance_of(name) == "i-0123456789"
    assert failure_logs.instance_of("DeepHealthCheckResults/abc") == ""


def test_streams_of_the_start_come_first_and_old_ones_are_left_out() -> None:
    new, old = int(SINCE.timestamp() * 1000) + 1, 1
    streams = [
        {"logStreamName": "Agent/i-0123456789", "lastEventTimestamp": new},
        {"logStreamName": "LifecycleConfig/g/i-0123456789", "lastEventTimestamp": new},
        {"logStreamName": "LifecycleConfig/g/i-9876543210", "lastEventTimestamp": new},
        {"logStreamName": "LifecycleConfig/old", "lastEventTimestamp": old},
    ]
    found = failure_logs.wanted(streams, SINCE, frozenset({"i-0123456789"}))
    assert found == ["LifecycleConfig/g/i-0123456789", "Agent/i-0123456789"]
    assert len(failure_logs.wanted(streams, SINCE, None)) == 3


def test_lines_name_their_node_and_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failure_logs, "newest_lines", lambda *_: ((SINCE, "a\nb"),))
    session: Any = object()
    stream = "LifecycleConfig/g/i-0123456789"
    count, items = failure_logs.lines_of(session, "g", stream, SINCE, {"i-0123456789": "w-1"})
    assert count == 2
    assert [(e.text, e.node, e.time, e.fields["stream_name"]) for e in items] == [
        ("a", "w-1", SINCE, stream),
        ("b", "w-1", SINCE, stream),
    ]
