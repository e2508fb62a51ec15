"""The dashboards: one module each, with `dashboard(facts)`."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Final

from clusterwright.monitoring.facts import Facts
from clusterwright.monitoring.panels import Dashboard, supported

NAMES: Final = (
    "cluster",
    "nodes",
    "network",
    "storage",
    "slurm",
    "kubernetes",
    "training_run",
    "goodput_and_money",
)
"""Module names, in the order in which the documentation shows them."""


def dashboards(facts: Facts) -> Iterator[Dashboard]:
    """The dashboards of a cluster, each with the panels whose metrics it has."""
    for name in NAMES:
        found = supported(complete(name, facts), facts.metrics)
        if found is not None:
            yield found


def complete(name: str, facts: Facts) -> Dashboard:
    """A dashboard with every panel, whether or not the cluster has their metrics."""
    module = importlib.import_module(f"{__name__}.{name}")
    found: Dashboard = module.dashboard(facts)
    return found
