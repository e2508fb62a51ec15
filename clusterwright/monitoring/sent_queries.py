"""The queries of dashboards as Grafana sends them to Prometheus."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from clusterwright.monitoring.dashboards import dashboards
from clusterwright.monitoring.facts import Facts
from clusterwright.monitoring.grafana import VARIABLES
from clusterwright.monitoring.promql import uses

_GLOBAL: Final = {
    "$__rate_interval": "4m",
    "$__range_s": "3600",
    "$__range": "1h",
}
"""Variables that Grafana itself sets, for a period of an hour."""


def without_variables(expression: str, cluster: str) -> str:
    """The expression as Grafana sends it with All chosen."""
    for name, text in _GLOBAL.items():
        expression = expression.replace(name, text)
    expression = expression.replace('"$cluster"', f'"{cluster}"')
    for variable, (_, _, every) in VARIABLES.items():
        expression = expression.replace(f'"${variable}"', f'"{every}"')
    return expression


def queries(facts: Facts) -> Iterator[tuple[str, str]]:
    """Panel or variable (`network: Dropped packets`, `slurm: $partition`), and its expression."""
    for dashboard in dashboards(facts):
        for row in dashboard.rows:
            for panel in row.panels:
                for query in panel.queries:
                    yield f"{dashboard.name}: {panel.title}", query.expression
        for variable in dashboard.variables:
            inner = VARIABLES[variable][1].removeprefix("label_values(").rpartition(",")[0]
            if all(use.metric in facts.metrics for use in uses(inner)):
                yield f"{dashboard.name}: ${variable}", inner
