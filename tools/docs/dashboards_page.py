"""The page docs/reference/dashboards.md: every dashboard with its panels and its layout."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from clusterwright.monitoring.dashboards import NAMES, complete
from clusterwright.monitoring.facts import Facts
from clusterwright.monitoring.grafana import VARIABLES, file_name
from clusterwright.monitoring.metrics import Source, metrics, sources
from clusterwright.monitoring.panels import Dashboard, Panel
from clusterwright.monitoring.promql import uses
from tools.docs.dashboard_drawing import is_of_hardware

_TEXT: Final = """\
# Dashboards

<!-- Written by `python -m tools.docs dashboards`. -->

[`clusterwright render dashboards`](../how-to/dashboards.md) writes these dashboards for Grafana.
A cluster gets the panels whose metrics its exporters have: without EFA there is no panel of EFA,
Trainium has panels of Neuron's metrics and none of DCGM's, and Kubernetes has no panel of Slurm.
The pictures show every panel of every kind of cluster.

Every dashboard has the variables `datasource` and `cluster`; the table of a dashboard names the
others. A panel that is marked with **H** (in the pictures: orange) has data only on hardware: the
emulated nodes of a rehearsal have none of its metrics. The authors have not seen the dashboards on
AWS.
"""
_METRICS: Final = """\
## Metrics

No query uses another metric than these. Tests compare the table with what the exporter returns,
and every query with the table. A sample also has the labels of its target: `cluster`, `group`,
`node`, `instance_id`, `job` (Prometheus' scrape job) and `instance`.
"""
_MISSING: Final = """\
## What is not shown

- Goodput of a job: [`clusterwright report goodput`](../how-to/measure-goodput.md) reads it from
  accounting and the job's logs.
- Objects of Kubernetes, and queues of a Kueue that Clusterwright does not install (HyperPod's task
  governance): `kubectl get clusterqueues` shows them.
- HyperPod's observability add-on on EKS has metrics and dashboards of its own; clusters with it
  get none of these.
"""


def page() -> str:
    """The page in Markdown."""
    facts = documented_facts()
    parts = [_TEXT]
    parts += [_section(complete(name, facts)) for name in NAMES]
    parts += [_MISSING, _METRICS, *_tables()]
    return "\n".join(parts)


def documented_facts() -> Facts:
    """A cluster with every metric; prices are not part of the pictures."""
    return Facts(
        environment="example",
        uses_slurm=True,
        metrics=frozenset(metrics()),
        accelerated=("workers",),
        usd_per_node_hour={"workers": Decimal(1)},
        unpriced=(),
    )


def _section(dashboard: Dashboard) -> str:
    names = ", ".join(f"`{name}` ({VARIABLES[name][0]})" for name in dashboard.variables)
    lines = [
        f"## {dashboard.title}",
        "",
        f"File: `{file_name(dashboard.name)}`. Variables: {names or 'no others'}.",
        "",
        dashboard.description,
        "",
        f"![Layout of the dashboard {dashboard.title}](../images/dashboard-"
        f"{dashboard.name.replace('_', '-')}.svg)",
        "",
        "| Row | Panel | | Unit | Metrics |",
        "|---|---|---|---|---|",
    ]
    for row in dashboard.rows:
        for panel in row.panels:
            mark = "**H**" if is_of_hardware(panel) else ""
            lines.append(
                f"| {row.title} | **{panel.title}** {panel.description} | {mark} | {panel.unit} |"
                f" {', '.join(f'`{name}`' for name in _names(panel))} |"
            )
    return "\n".join([*lines, ""])


def _names(panel: Panel) -> Iterator[str]:
    yield from dict.fromkeys(
        use.metric for query in panel.queries for use in uses(query.expression)
    )


def _on_pcs(source: Source) -> str:
    only_controller = source.exporter == "clusterwright" and source.nodes == ("controller",)
    return " (on AWS PCS the first login node)" if only_controller else ""


def _tables() -> Iterator[str]:
    for source in sources():
        lines = [
            f"### {source.about}",
            "",
            f"Source `{source.name}` of the exporter `{source.exporter}`, on nodes with the role"
            f" {', '.join(source.nodes)}{_on_pcs(source)}. Documented in: {source.documented}.",
            "",
            "| Metric | Kind | Unit | Labels |",
            "|---|---|---|---|",
        ]
        lines += [
            f"| `{each.name}` | {each.kind} | {each.unit} |"
            f" {', '.join(f'`{label}`' for label in each.labels) or '–'} |"
            for each in source.metrics
        ]
        yield "\n".join([*lines, ""])
