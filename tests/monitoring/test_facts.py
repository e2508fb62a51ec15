"""What a cluster has that dashboards can show."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.monitoring.facts import facts_of, why_no_exporter
from clusterwright.monitoring.metrics import metrics
from clusterwright.platforms.loading import load_cluster
from tests.support.monitored_clusters import DAY, GPUS, KUBERNETES, ROOT, TRAINIUM, facts
from tests.support.specs import changed, write


def _sources(spec: str) -> set[str]:
    return {metrics()[name].source for name in facts(spec).metrics}


def test_sources_are_those_of_the_hardware_and_the_scheduler() -> None:
    everywhere = {"host", "scrape", "target", "efa", "lustre"}
    assert _sources(GPUS) == everywhere | {
        "nvidia",
        "gpu_jobs",
        "nccl",
        "slurm",
        "training",
        "ours",
        "acceptance",
    }
    assert _sources(TRAINIUM) == everywhere | {
        "neuron",
        "slurm",
        "training",
        "acceptance",
        "ours",
    }
    collector = {"containers", "kubernetes-apiservers", "kueue"}
    assert _sources(KUBERNETES) == everywhere | {"nvidia"} | collector


def test_a_cluster_without_lustre_and_efa_has_none_of_their_metrics(tmp_path: Path) -> None:
    path = write(tmp_path / "spec.yaml", changed({"compute.1.instance_type": "g5.xlarge"}))
    found = facts_of(load_cluster(path).cluster, load_catalog(), today=DAY).metrics
    assert not [name for name in found if name.startswith(("efa_", "lustre_"))]
    assert "gpu_count" in found


def test_prices_are_those_of_the_catalogue(tmp_path: Path) -> None:
    found = facts(GPUS)
    assert set(found.usd_per_node_hour) == {"workers"}
    assert found.accelerated == ("workers",)
    assert facts(TRAINIUM).unpriced == ("workers",)


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        (GPUS, ""),
        (KUBERNETES, ""),
        ("configs/dev-eks.yaml", "nodes have no exporter without observability.metrics.image"),
        (
            "configs/dev-hyperpod-eks.yaml",
            "HyperPod's observability add-on collects the metrics, and has its own dashboards",
        ),
    ],
)
def test_reason_why_nodes_have_no_metrics(spec: str, reason: str) -> None:
    assert why_no_exporter(load_cluster(spec).cluster) == reason


def test_an_exporter_that_is_off_has_no_metrics(tmp_path: Path) -> None:
    path = write(tmp_path / "spec.yaml", changed({"observability.metrics.listen": "off"}))
    found = facts_of(load_cluster(path).cluster, load_catalog(), today=DAY)
    assert found.without_nodes == "observability.metrics.listen is off"
    assert found.metrics == frozenset()


def test_the_login_node_of_pcs_has_the_figures_of_slurm() -> None:
    cluster = load_cluster(ROOT / "configs/dev-pcs.yaml").cluster
    assert "controller" not in {group.role for group in cluster.compute}
    names = facts_of(cluster, load_catalog(), today=DAY).metrics
    assert {metrics()[name].source for name in names} >= {"slurm", "training", "acceptance"}
