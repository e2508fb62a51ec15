"""The table of metrics is what the exporters return: every name, kind and label."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from clusterwright_metrics.scrape import Scraper, load_sources
from clusterwright_metrics.sources import (
    acceptance,
    efa,
    gpu_jobs,
    host,
    lustre,
    nccl,
    neuron,
    nvidia,
    ours,
    slurm,
    slurmctld,
    training,
)
from clusterwright_metrics.text import Metrics

from clusterwright.monitoring.metrics import TARGET_LABELS, metrics, sources
from clusterwright.platforms.kubernetes.metrics import scrape_configuration
from clusterwright.platforms.loading import load_cluster
from tests.monitoring.complete_node import complete_node
from tests.nodes.metrics.fake_node import Machine

_EXPORTER = {
    "host": host,
    "nvidia": nvidia,
    "neuron": neuron,
    "efa": efa,
    "lustre": lustre,
    "slurm": slurm,
    "slurmctld": slurmctld,
    "training": training,
    "gpu_jobs": gpu_jobs,
    "nccl": nccl,
    "acceptance": acceptance,
    "ours": ours,
}


@pytest.fixture
def node(tmp_path: Path) -> Machine:
    return complete_node(tmp_path)


@pytest.mark.parametrize("name", _EXPORTER)
def test_table_has_exactly_the_metrics_of_a_source(node: Machine, name: str) -> None:
    found = Metrics()
    _EXPORTER[name].collect(node.probe(), found)
    [source] = [source for source in sources() if source.name == name]
    returned = {
        (family.name, family.kind, frozenset(key for key, _ in labels))
        for family in found.families.values()
        for labels, _ in family.samples
    }
    assert returned == {(m.name, m.kind, frozenset(m.labels)) for m in source.metrics}


def test_every_source_of_the_exporter_is_in_the_table() -> None:
    exporters = {
        source.name: set(source.nodes)
        for source in sources()
        if source.exporter == "clusterwright" and source.name != "scrape"
    }
    roles = ("controller", "login", "compute")
    loaded = {role: set(load_sources(role)) for role in roles}
    assert exporters == {
        name: {role for role in roles if name in loaded[role]}
        for name in set().union(*loaded.values())
    }


def test_table_has_the_metrics_of_a_scrape_itself(node: Machine) -> None:
    text = Scraper("controller", node.probe, tell=lambda _: None).text()
    own = set(re.findall(r"^(clusterwright_source_\w+)\{source=", text, re.MULTILINE))
    [source] = [source for source in sources() if source.name == "scrape"]
    assert own == {metric.name for metric in source.metrics}
    assert all(metric.labels == ("source",) for metric in source.metrics)


def test_metrics_of_kubernetes_are_those_that_the_collector_keeps() -> None:
    cluster = load_cluster(Path("configs/examples/full-eks.yaml")).cluster
    jobs = json.loads(scrape_configuration(cluster))["scrape_configs"]
    kept = {
        job["job_name"]: re.compile(job["metric_relabel_configs"][0]["regex"])
        for job in jobs
        if "metric_relabel_configs" in job
    }
    for name in ("containers", "kubernetes-apiservers", "kueue"):
        [source] = [source for source in sources() if source.name == name]
        refused = [m.name for m in source.metrics if not kept[name].fullmatch(m.name)]
        assert refused == []


def test_names_are_unique_and_units_follow_them() -> None:
    rows = [metric for source in sources() for metric in source.metrics]
    assert len(metrics()) == len(rows)
    for metric in rows:
        # Scraping would rename it to exported_node and so on.
        assert not set(metric.labels) & set(TARGET_LABELS), metric.name
        if metric.name.startswith("DCGM_") or metric.name == "container_memory_rss":
            continue
        assert ("_seconds" in metric.name) == metric.unit.startswith("seconds"), metric.name
        assert ("_bytes" in metric.name) == (metric.unit == "bytes"), metric.name
        assert metric.name.endswith("_ratio") == (metric.unit == "ratio"), metric.name
        assert not metric.name.endswith("_total") or metric.kind == "counter", metric.name
