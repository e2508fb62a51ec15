"""What a spec has that alerts can watch."""

from __future__ import annotations

import pytest

from clusterwright.alerts.rule_file import rule_file
from clusterwright.alerts.watched import group_pattern, watched, why_not
from clusterwright.catalog import load_catalog
from clusterwright.platforms.loading import load_cluster
from tests.alerts.watched_clusters import (
    EKS,
    SLURM,
    TRAINIUM,
    cluster_of,
    price,
    watched_cluster,
)
from tests.support.monitored_clusters import ROOT
from tests.support.rich_specs import changed


def test_slurm_with_gpus_efa_and_lustre() -> None:
    found = watched_cluster(SLURM)
    assert found.needs == {
        "exporter", "health", "slurm", "lustre", "fixed", "nvidia", "dcgm", "efa",
    }  # fmt: skip
    controller, workers = found.groups
    assert controller.needs == {"fixed"}
    assert (workers.nodes, workers.accelerators) == (4, 8)
    assert workers.price == "a node of workers costs 98.32 USD per hour"
    assert found.mounts == ("/fsx",)
    assert (found.silent_seconds, found.rate_seconds) == (180, 900)
    assert group_pattern(found.groups_with("efa")) == "workers"


def test_slurm_is_watched_where_the_service_runs_its_controller() -> None:
    cluster = load_cluster(ROOT / "configs/dev-pcs.yaml").cluster
    found = watched(cluster, load_catalog(), file="pcs.yaml", rate=price)
    rules = {rule["alert"] for rule in rule_file(found).rules}
    assert rules >= {"SlurmctldDown", "NodesDrained", "TrainingWithoutProgress"}


def test_trainium_has_no_gpus() -> None:
    assert watched_cluster(TRAINIUM).groups[1].needs == {"fixed", "neuron", "efa"}


def test_an_unknown_price_stays_unknown() -> None:
    found = watched_cluster(SLURM, usd=None)
    assert found.groups[1].price == (
        "the price of a node of workers is unknown (no source states it)"
    )


def test_eks_with_collector_and_image() -> None:
    assert {"exporter", "collector", "nvidia"} <= watched_cluster(EKS).needs
    assert not watched_cluster(EKS).needs & {"slurm", "dcgm", "lustre", "health"}


def test_windows_follow_the_interval() -> None:
    metrics = {"prometheus": True, "metrics": {"interval_seconds": 240}}
    found = watched_cluster(changed(SLURM, observability=metrics))
    assert (found.silent_seconds, found.rate_seconds) == (720, 960)


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        (SLURM, None),
        (EKS, None),
        (
            changed(SLURM, observability={"metrics": {"interval_seconds": 300}}),
            "samples are 300 seconds apart",
        ),
        (changed(SLURM, observability={"metrics": {"listen": "off"}}), "the exporter is off"),
        (changed(EKS, observability={}), "nodes have no exporter"),
    ],
)
def test_why_no_alert_on_samples_applies(spec: dict[str, object], reason: str | None) -> None:
    found = why_not(cluster_of(spec))
    assert (found is None) if reason is None else found is not None and reason in found
    assert bool(watched_cluster(spec).needs) is (reason is None)


def test_a_group_that_grows_has_no_fixed_number_of_nodes() -> None:
    found = watched_cluster(changed(EKS, compute__1__min_count=1, compute__1__max_count=8))
    assert "fixed" not in found.groups[1].needs
