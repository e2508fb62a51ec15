"""What HyperPod's deep health checks of running nodes do and cost."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cluster_state.published import SchedulerView
from clusterwright.operate import deep_health_plan
from clusterwright.operate.acceptance_results import DeepHealthPlan
from clusterwright.operate.nodes import joined_nodes
from tests.operate.clusters import cluster_state, load, node, published, rates


def planned(
    tmp_path: Path, *, named: bool = False, spec: dict[str, Any] | None = None, **changes: Any
) -> DeepHealthPlan:
    loaded = load(tmp_path, **(spec or {}))
    state = cluster_state(loaded, **changes)
    nodes = [one for one in joined_nodes(loaded.cluster, state) if one.group == "workers"]
    return deep_health_plan.deep_health_plan(
        loaded.cluster, load_catalog(), state, rates(loaded), nodes, named=named
    )


def test_the_price_is_that_of_the_longest_duration(tmp_path: Path) -> None:
    found = planned(tmp_path)
    (group,) = found.groups
    usd = rates(load(tmp_path)).of_group("workers")
    assert usd is not None
    assert (group.nodes, group.seconds) == (len(found.targets), 8100)
    assert group.cost_usd == (usd * group.nodes * 135 / 60).quantize(Decimal("0.01"))


@pytest.mark.parametrize("named", [False, True])
def test_a_node_that_does_not_run_is_not_tested(tmp_path: Path, named: bool) -> None:
    down = node(1, state="DeepHealthCheckInProgress", condition="starting")
    found = planned(tmp_path, named=named, nodes=(down, node(2)))
    reasons = {
        "ip-workers-1": "it does not run on the platform (DeepHealthCheckInProgress)",
    }
    skipped = dict(found.refused if named else found.left_out)
    assert skipped == {**skipped, **reasons}
    assert [one.name for one in found.targets] == ["ip-workers-2"]


def test_the_file_chooses_the_checks(tmp_path: Path) -> None:
    wanted = {"resilience__deep_health_checks": ["instance-stress"]}
    found = planned(tmp_path, spec=wanted)
    assert found.checks == {"workers": ("InstanceStress",)}


def test_many_nodes_are_several_configurations(tmp_path: Path) -> None:
    found = planned(tmp_path).requests(3)
    assert [len(ids) for _, ids, _ in found] == [3, 1]


def test_unknown_jobs_are_unknown(tmp_path: Path) -> None:
    found = planned(tmp_path, scheduler=SchedulerView(published(running=None), None))
    assert found.jobs is None
