"""Dashboards as Grafana's JSON, built with grafana-foundation-sdk.

Source: Grafana, "Dashboard JSON model", "Variables", "Global variables" (10.x; read 2026-11-23).
"""

from __future__ import annotations

import json
from typing import Any, Final

from grafana_foundation_sdk.builders import common as common_builders
from grafana_foundation_sdk.builders import dashboard as builders
from grafana_foundation_sdk.builders import prometheus, stat, timeseries
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import common
from grafana_foundation_sdk.models import dashboard as models

from clusterwright.monitoring.facts import Facts
from clusterwright.monitoring.panels import Dashboard, Panel, Placed, Row, Variable, placed
from clusterwright.monitoring.promql import uses

DATA_SOURCE: Final = "datasource"
"""The variable that holds the data source; it has a name of Grafana's own dashboards."""

_REFRESH: Final = "1m"
_SOURCE: Final = models.DataSourceRef(type_val="prometheus", uid=f"${{{DATA_SOURCE}}}")
_ANY: Final = ".*"
_SOME: Final = ".+"

VARIABLES: Final[dict[Variable, tuple[str, str, str]]] = {
    "group": ("Group", 'label_values(up{cluster="$cluster"}, group)', _ANY),
    "node": ("Node", 'label_values(up{cluster="$cluster",group=~"$group"}, node)', _ANY),
    "partition": ("Partition", 'label_values(slurm_nodes{cluster="$cluster"}, partition)', _ANY),
    "job": (
        "Job",
        'label_values(slurm_node_job{cluster="$cluster",partition=~"$partition",job_id!=""},'
        " job_id)",
        _SOME,
    ),
    "namespace": (
        "Namespace",
        'label_values(container_memory_working_set_bytes{cluster="$cluster"}, namespace)',
        _ANY,
    ),
    "pod": (
        "Pod",
        'label_values(container_memory_working_set_bytes{cluster="$cluster",'
        'namespace=~"$namespace"}, pod)',
        _ANY,
    ),
}
"""Variable -> its label, the query of its values, and the value of All."""


def dashboard_json(dashboard: Dashboard, facts: Facts) -> str:
    """The file of a dashboard, which Grafana imports; the same for the same input."""
    built = built_dashboard(dashboard, facts)
    return json.dumps(built, cls=JSONEncoder, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def file_name(name: str) -> str:
    """The name of a dashboard's file."""
    return f"{name.replace('_', '-')}.json"


def uid(dashboard: Dashboard, facts: Facts) -> str:
    """The id by which Grafana replaces a dashboard; at most 40 characters."""
    name = dashboard.name.replace("_", "-")
    return f"{facts.environment[: 39 - len(name)]}-{name}"


def built_dashboard(dashboard: Dashboard, facts: Facts) -> models.Dashboard:
    """The dashboard as an object of the SDK."""
    builder = (
        builders.Dashboard(f"{dashboard.title} ({facts.environment})")
        .uid(uid(dashboard, facts))
        .description(dashboard.description)
        .tags(["clusterwright", facts.environment])
        .refresh(_REFRESH)
        .time("now-6h", "now")
        .timezone("browser")
        .editable()
        .tooltip(models.DashboardCursorSync.CROSSHAIR)
        .with_variable(_data_source())
        .with_variable(_cluster(facts))
    )
    for variable in dashboard.variables:
        if _exists(variable, facts):
            builder = builder.with_variable(_variable(variable))
    for item in placed(dashboard):
        if isinstance(item.item, Row):
            builder = builder.with_row(
                builders.Row(item.item.title).id(item.id).grid_pos(_position(item))
            )
        else:
            builder = builder.with_panel(_panel(item.item, item))
    return builder.build()


def _exists(variable: Variable, facts: Facts) -> bool:
    """Whether the cluster has the metric that gives the variable's values."""
    query = VARIABLES[variable][1]
    inner = query.removeprefix("label_values(").rpartition(",")[0]
    return all(use.metric in facts.metrics for use in uses(inner))


def _data_source() -> builders.DatasourceVariable:
    return builders.DatasourceVariable(DATA_SOURCE).label("Data source").type("prometheus")


def _cluster(facts: Facts) -> builders.QueryVariable:
    chosen = models.VariableOption(selected=True, text=facts.environment, value=facts.environment)
    return (
        builders.QueryVariable("cluster")
        .label("Cluster")
        .query("label_values(up, cluster)")
        .datasource(_SOURCE)
        .current(chosen)
        .refresh(models.VariableRefresh.ON_DASHBOARD_LOAD)
        .sort(models.VariableSort.ALPHABETICAL_ASC)
    )


def _variable(name: Variable) -> builders.QueryVariable:
    label, query, every = VARIABLES[name]
    return (
        builders.QueryVariable(name)
        .label(label)
        .query(query)
        .datasource(_SOURCE)
        .multi(True)
        .include_all(True)
        .all_value(every)
        .current(models.VariableOption(selected=True, text=["All"], value=["$__all"]))
        .refresh(models.VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(models.VariableSort.ALPHABETICAL_ASC)
    )


def _panel(panel: Panel, place: Placed) -> Any:
    """The builder of a panel; kinds have different classes with the same methods."""
    builder: Any = stat.Panel() if panel.kind == "stat" else timeseries.Panel()
    builder = (
        builder.id(place.id)
        .grid_pos(_position(place))
        .title(panel.title)
        .description(panel.description)
        .unit(panel.unit)
        .datasource(_SOURCE)
        .min(0)
        .thresholds(_thresholds(panel))
    )
    if panel.maximum is not None:
        builder = builder.max(panel.maximum)
    if panel.kind == "stat":
        last = common_builders.ReduceDataOptions().calcs(["lastNotNull"])
        builder = builder.reduce_options(last).graph_mode(common.BigValueGraphMode.NONE)
    else:
        builder = _lines(builder, panel)
    for index, query in enumerate(panel.queries):
        target = (
            prometheus.Dataquery()
            .expr(query.expression)
            .legend_format(query.legend or "__auto")
            .ref_id(chr(ord("A") + index))
            .datasource(_SOURCE)
        )
        target = target.instant() if panel.kind == "stat" else target.range()
        builder = builder.with_target(target)
    return builder


def _lines(builder: Any, panel: Panel) -> Any:
    """Lines with a table of the last value and the maximum of each series."""
    legend = (
        common_builders.VizLegendOptions()
        .display_mode(common.LegendDisplayMode.TABLE)
        .placement(common.LegendPlacement.BOTTOM)
        .show_legend(True)
        .calcs(["lastNotNull", "max"])
    )
    tooltip = common_builders.VizTooltipOptions().mode(common.TooltipDisplayMode.MULTI)
    builder = builder.legend(legend).tooltip(tooltip.sort(common.SortOrder.DESCENDING))
    builder = builder.line_width(1).show_points(common.VisibilityMode.NEVER)
    if panel.stacked:
        stacking = common_builders.StackingConfig().mode(common.StackingMode.NORMAL)
        builder = builder.stacking(stacking).fill_opacity(30)
    if panel.warn_at is not None or panel.alarm_at is not None:
        style = common_builders.GraphThresholdsStyleConfig()
        builder = builder.thresholds_style(style.mode(common.GraphTresholdsStyleMode.LINE))
    return builder


def _thresholds(panel: Panel) -> builders.ThresholdsConfig:
    steps = [models.Threshold(value=None, color="green")]
    if panel.warn_at is not None:
        steps.append(models.Threshold(value=panel.warn_at, color="orange"))
    if panel.alarm_at is not None:
        steps.append(models.Threshold(value=panel.alarm_at, color="red"))
    return builders.ThresholdsConfig().mode(models.ThresholdsMode.ABSOLUTE).steps(steps)


def _position(place: Placed) -> models.GridPos:
    return models.GridPos(h=place.height, w=place.width, x=place.x, y=place.y)
