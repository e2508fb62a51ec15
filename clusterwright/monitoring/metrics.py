"""The metrics that the exporters of a cluster have, from `metrics.yaml`.

Dashboards and alert rules use these metrics and no others, and each metric only with labels that
its samples have; `promql.py` finds both in a query.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from ruamel.yaml import YAML

TABLE: Final = Path(__file__).with_suffix(".yaml")

TARGET_LABELS: Final = ("cluster", "group", "node", "instance_id", "job", "instance")
"""Labels that scraping adds to every sample (`steps/metrics_shipping.py`, and on Kubernetes
`platforms/kubernetes/metrics.py`). `job` is Prometheus's scrape job, not a job of Slurm."""


@dataclass(frozen=True)
class Metric:
    """One metric of an exporter; the keys are explained in the table."""

    name: str
    kind: Literal["gauge", "counter"]
    unit: str
    labels: tuple[str, ...]
    series: tuple[str | int, ...]
    """Factors of the number of series on one node."""
    hardware_only: bool
    source: str
    exporter: str
    nodes: tuple[str, ...]
    """The roles of nodes that have the metric."""

    @property
    def all_labels(self) -> frozenset[str]:
        """The labels of its samples, with those that scraping adds."""
        return frozenset((*self.labels, *TARGET_LABELS))


@dataclass(frozen=True)
class Source:
    """One source of metrics."""

    name: str
    exporter: str
    nodes: tuple[str, ...]
    about: str
    documented: str
    metrics: tuple[Metric, ...]


@functools.cache
def sources() -> tuple[Source, ...]:
    """Every source, in the order of the table."""
    rows = YAML(typ="safe").load(TABLE.read_text(encoding="utf-8"))
    return tuple(_source(row) for row in rows)


@functools.cache
def metrics() -> dict[str, Metric]:
    """Every metric by its name."""
    return {metric.name: metric for source in sources() for metric in source.metrics}


def _source(row: dict[str, Any]) -> Source:
    nodes = tuple(row["nodes"])
    return Source(
        name=row["source"],
        exporter=row["exporter"],
        nodes=nodes,
        about=row["about"],
        documented=row["documented"],
        metrics=tuple(
            Metric(
                name=each["name"],
                kind=each["kind"],
                unit=each["unit"],
                labels=tuple(each["labels"]),
                series=_factors(each["series"]),
                hardware_only=each.get("hardware_only", False),
                source=row["source"],
                exporter=row["exporter"],
                nodes=nodes,
            )
            for each in row["metrics"]
        ),
    )


def _factors(value: int | list[str | int]) -> tuple[str | int, ...]:
    return (value,) if isinstance(value, int) else tuple(value)
