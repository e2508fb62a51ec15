"""Resources of ParallelCluster."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cost.bill import Bill, Line
from clusterwright.cost.estimate import estimate
from tests.support import specs

TODAY = dt.date(2026, 11, 20)


def compute(bill: Bill) -> list[Line]:
    return [line for line in bill.lines if line.component == "compute"]


def test_resources_of_parallelcluster_are_on_the_bill(tmp_path: Path) -> None:
    spec = {
        "platform": "parallelcluster",
        "parallelcluster": {"root_volume_gib": 200},
        "slurm": {"accounting": {"kind": "none"}},
    }
    cluster = specs.unchecked(tmp_path, spec).cluster
    bill = estimate(cluster, load_catalog(), today=TODAY)
    roots = {line.group: line.quantity for line in bill.lines if line.item.endswith(", root")}
    counts = {group.name: group.count for group in cluster.compute}
    sizes = {group.name: 200 if group.role == "compute" else 45 for group in cluster.compute}
    assert roots == {name: counts[name] * sizes[name] for name in counts}
    made = {line.item for line in bill.lines if line.component == "parallelcluster"}
    assert "ParallelCluster's shared storage on EFS" in made
    assert "ParallelCluster's dashboard" in made
    compute = [line for line in bill.lines if line.component == "compute"]
    assert all(not line.item.partition(": ")[2].startswith("ml.") for line in compute)


@pytest.mark.parametrize("egress", ["closed", "nat"])
def test_node_names_are_in_route_53_if_it_is_reachable(tmp_path: Path, egress: str) -> None:
    spec = {
        "platform": "parallelcluster",
        "network": {"availability_zone_id": "use1-az6", "egress": egress},
        "slurm": {"accounting": {"kind": "none"}},
    }
    cluster = specs.unchecked(tmp_path, spec).cluster
    items = {line.item for line in estimate(cluster, load_catalog(), today=TODAY).lines}
    assert ("names of nodes in Route 53" in items) == (egress == "nat")
