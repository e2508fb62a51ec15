"""The number of series, against what the exporter has on a complete node."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.monitoring.series import active_series, group_series
from clusterwright.platforms.loading import load_cluster
from tests.support.monitored_clusters import ROOT


def _cluster(name: str) -> Cluster:
    return load_cluster(ROOT / f"configs/examples/{name}.yaml").cluster


def test_factors_of_the_instance_type() -> None:
    groups = {group.group: group for group in group_series(_cluster("p5-64"), load_catalog())}
    workers, login = groups["workers"], groups["login"]
    assert (workers.instance_type, workers.nodes) == ("p5.48xlarge", 64)
    assert workers.per_node is not None
    assert login.per_node is not None
    # 192 processors in 8 modes; 32 interfaces of EFA and 8 GPUs with 32 metrics each, and 4 of
    # NCCL for 8 shapes.
    least = 192 * 8 + 32 * 35 + 8 * 32 + 8 * 4 * 8
    assert least < workers.per_node < least + 400
    # 16 processors, no device.
    assert 16 * 8 < login.per_node < 16 * 8 + 200


def test_the_login_node_that_administers_has_the_series_of_slurm() -> None:
    groups = {group.group: group for group in group_series(_cluster("full-pcs"), load_catalog())}
    login = groups["login"]
    # A series for each running training job and figure.
    assert login.per_node is not None
    assert login.per_node > 16 * 64


def test_all_nodes_count() -> None:
    cluster = _cluster("p5-1024")
    total = active_series(cluster, load_catalog())
    assert total == sum(
        group.nodes * (group.per_node or 0) for group in group_series(cluster, load_catalog())
    )
    assert total is not None
    assert 3_000_000 < total < 3_500_000


@pytest.mark.parametrize("path", sorted((ROOT / "configs/examples").glob("*.yaml")), ids=str)
def test_every_example_has_a_number(path: Path) -> None:
    assert active_series(load_cluster(path).cluster, load_catalog()) is not None
