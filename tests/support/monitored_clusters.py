"""Clusters whose dashboards are tested: Slurm with GPUs, with Trainium, and Kubernetes."""

from __future__ import annotations

import datetime as dt
import functools
from decimal import Decimal
from pathlib import Path

from clusterwright.catalog import load_catalog
from clusterwright.monitoring.dashboards import dashboards
from clusterwright.monitoring.facts import Facts, facts_of
from clusterwright.monitoring.panels import Dashboard, Panel
from clusterwright.platforms.loading import load_cluster

ROOT = Path(__file__).parents[2]
GPUS = "configs/examples/p5-8.yaml"
TRAINIUM = "configs/examples/trn1-1.yaml"
PARALLELCLUSTER = "configs/examples/full-parallelcluster.yaml"
KUBERNETES = "configs/examples/full-eks.yaml"
EVERY = (GPUS, TRAINIUM, PARALLELCLUSTER, KUBERNETES)
DAY = dt.date(2026, 11, 23)


@functools.cache
def facts(spec: str) -> Facts:
    return facts_of(load_cluster(ROOT / spec).cluster, load_catalog(), today=DAY)


@functools.cache
def rendered(spec: str) -> dict[str, Dashboard]:
    return {each.name: each for each in dashboards(facts(spec))}


def panels(name: str, spec: str) -> dict[str, Panel]:
    """The panels of a dashboard by row and title."""
    return {
        f"{row.title}: {panel.title}": panel
        for row in rendered(spec)[name].rows
        for panel in row.panels
    }


def facts_with(metrics: frozenset[str], *, uses_slurm: bool = True) -> Facts:
    return Facts(
        environment="example",
        uses_slurm=uses_slurm,
        metrics=metrics,
        accelerated=("workers",),
        usd_per_node_hour={"workers": Decimal("2.50")},
        unpriced=(),
    )
