"""Every query of every example's dashboards, and every selector of its alerts, finds data.

promtool evaluates them on the series that the exporters of the cluster have. A cluster whose nodes
have every fault must answer every query; a healthy one every query except those listed here.
"""

from __future__ import annotations

import datetime as dt
import functools
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Final

import pytest

from clusterwright.alerts.rule_file import rule_file
from clusterwright.alerts.watched import watched
from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.monitoring.facts import Facts, facts_of
from clusterwright.monitoring.sent_queries import queries, without_variables
from clusterwright.platforms.loading import load_cluster
from tests.alerts import promtool_tests
from tests.alerts.watched_clusters import price
from tests.monitoring.exported_series import series_of
from tests.monitoring.queried import without_default, write
from tests.support.monitored_clusters import DAY, ROOT

FAULTS_ONLY: Final = frozenset(
    {
        "cluster: Findings of health checks",
        "kubernetes: Out of memory",
        "network: Dropped packets",
        "network: Errors of the driver",
        "network: Interfaces of LNet that are down",
        "network: Interfaces that are not active",
        "network: Peers that do not answer",
        "network: Timeouts of retransmission",
        "nodes: Failed row remapping",
        "nodes: Last Xid",
        "nodes: Remapped rows",
        "nodes: Uncorrected memory errors",
        "storage: Mounts that do not answer",
        "storage: Read-only file systems",
        "training_run: GPUs with faults",
        "training_run: Neuron devices with faults",
        "training_run: Output that cannot be read",
        "training_run: Peers that do not answer",
    }
)
"""Panels that return nothing on a healthy cluster: they have one line for each device at fault."""

_SELECTOR: Final = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*\{[^}]*\}")

EXAMPLES: Final = sorted(
    str(path.relative_to(ROOT))
    for folder in ("configs", "configs/examples")
    for path in (ROOT / folder).glob("*.yaml")
    if path.name != "base.yaml"
)
pytestmark = promtool_tests.with_promtool


@functools.cache
def _cluster(spec: str) -> Cluster:
    return load_cluster(ROOT / spec).cluster


@functools.cache
def _facts(spec: str) -> Facts:
    return facts_of(_cluster(spec), load_catalog(), today=DAY)


def _selectors_of_alerts(spec: str) -> Iterator[tuple[str, str]]:
    end = dt.datetime(2026, 12, 1, tzinfo=dt.UTC)
    found = watched(
        _cluster(spec),
        load_catalog(),
        file=spec,
        rate=functools.partial(price, usd=Decimal(98)),
        capacity_end=end,
    )
    for rule in rule_file(found).rules:
        for selector in _SELECTOR.findall(rule["expr"]):
            yield rule["alert"], selector


@pytest.mark.parametrize("spec", EXAMPLES)
def test_every_query_returns_data(spec: str, tmp_path: Path) -> None:
    cluster, facts = _cluster(spec), _facts(spec)
    sent = [
        (panel, without_variables(expression, cluster.environment))
        for panel, expression in queries(_facts(spec))
    ]
    selectors = list(_selectors_of_alerts(spec))
    files = []
    for sick in (True, False):
        series = series_of(cluster, facts.metrics, sick=sick)
        expected = [
            (without_default(expression), True) if sick else (expression, panel not in FAULTS_ONLY)
            for panel, expression in sent
        ]
        if sick:
            expected += [(selector, True) for _, selector in selectors]
        path = tmp_path / f"{'sick' if sick else 'healthy'}.json"
        write(path, series, expected)
        files.append(path)
    if sent or selectors:
        result = promtool_tests.run(files)
        assert result.returncode == 0, result.stdout + result.stderr


def test_panels_that_may_be_empty_compare_with_zero() -> None:
    found = {panel: expression for spec in EXAMPLES for panel, expression in queries(_facts(spec))}
    for panel in FAULTS_ONLY:
        assert found[panel].endswith(("> 0", "== 0")), panel
