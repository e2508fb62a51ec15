"""Metrics of nodes with Slurm; those of Kubernetes are in tests/platforms/kubernetes."""

from __future__ import annotations

from clusterwright.cluster_spec.validation import metrics
from tests.support.rich_specs import SCRIPTED
from tests.support.validation import found

KEY = "observability.metrics.slurm_openmetrics"


def test_only_we_can_let_slurmctld_serve_metrics_where_we_write_slurm_conf() -> None:
    assert found(metrics.problems, {KEY: True}, base=SCRIPTED) == {}
    problems = found(metrics.problems, {KEY: True})
    assert problems[KEY].startswith("HyperPod writes slurm.conf in the managed configuration")
