"""Helm charts that a platform needs: version, repository and digest of each.

`charts.json` has the values of public sources. A digest without a source is `unknown`, and the
chart is refused until the spec has one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.karpenter import runs_in_cluster
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.workloads import Chart
from clusterwright.cluster_spec.validation.workloads import queued
from clusterwright.platforms import accelerators
from clusterwright.platforms.kubernetes.groups import has_efa

CHARTS_FILE = Path(__file__).with_name("charts.json")
UNKNOWN = "unknown"


class UnknownChartError(Exception):
    """Charts without a known version or digest; `labels` has the name and the missing values of
    each.
    """

    def __init__(self, labels: list[str]) -> None:
        super().__init__(", ".join(labels))
        self.labels = labels


@dataclass(frozen=True)
class ListedChart:
    """A chart of the list; a value is None if no source has it."""

    name: str
    version: str | None
    sha256: str | None
    repository: str | None
    namespace: str
    values_schema: str | None
    """File name of a copy of the chart's `values.schema.json`, if it has one."""

    source: str
    date: str


@dataclass(frozen=True)
class PinnedChart:
    """A chart with the version and values that are installed."""

    name: str
    version: str
    sha256: str
    repository: str
    namespace: str


@cache
def listed_charts() -> dict[str, ListedChart]:
    """Return the charts of the list by name."""
    document = json.loads(CHARTS_FILE.read_text(encoding="utf-8"))
    return {row["name"]: ListedChart(**_read(row)) for row in document["charts"]}


def wanted_charts(cluster: Cluster, catalog: Catalog) -> list[str]:
    """Return the names of the charts that this cluster needs, in the order of installation."""
    return list(_wanted(cluster, catalog))


def pinned_charts(cluster: Cluster, catalog: Catalog) -> list[PinnedChart]:
    """Raises UnknownChartError if a version, an address or a digest is unknown."""
    given: dict[str, Chart] = {chart.name: chart for chart in cluster.kubernetes.workloads.charts}
    found, unknown = [], []
    for name in wanted_charts(cluster, catalog):
        listed, own = listed_charts()[name], given.get(name)
        version = (own.version if own is not None else None) or listed.version
        # A digest belongs to one version: the listed digest is not that of another version.
        digest = own.sha256 if own is not None else None
        if digest is None and version == listed.version:
            digest = listed.sha256
        lacking = [
            what for what, value in (("version", version), ("sha256", digest)) if value is None
        ]
        if lacking or version is None or digest is None:
            unknown.append(f"{name} ({' and '.join(lacking)})")
            continue
        found.append(
            PinnedChart(name, version, digest, listed.repository or UNKNOWN, listed.namespace)
        )
    if unknown:
        raise UnknownChartError(unknown)
    return found


def _wanted(cluster: Cluster, catalog: Catalog) -> Iterator[str]:
    if cluster.on_hyperpod:
        # cert-manager, which the training operator needs, is an EKS add-on.
        yield "hyperpod-helm-chart"
    else:
        families = {accelerators.family(group.instance_type, catalog) for group in cluster.compute}
        if "nvidia" in families:
            yield "nvidia-device-plugin"
        if "neuron" in families:
            yield "neuron-helm-chart"
        if any(has_efa(group, catalog) for group in cluster.compute if group.role == "compute"):
            yield "aws-efa-k8s-device-plugin"
        if runs_in_cluster(cluster):
            yield "karpenter"
    if queued(cluster):
        yield "kueue"


def _read(row: dict[str, Any]) -> dict[str, Any]:
    return {key: None if value == UNKNOWN else value for key, value in row.items()}
