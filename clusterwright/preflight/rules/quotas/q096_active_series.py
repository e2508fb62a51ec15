"""The workspace for Prometheus takes the series of all nodes."""

from __future__ import annotations

from clusterwright.catalog import load_catalog
from clusterwright.monitoring.series import active_series, group_series
from clusterwright.preflight.facts.account import NamedQuotas
from clusterwright.preflight.results import QuotaNeed
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Rule,
    Subjects,
    Unknown,
)

NAME = "active series"
_PER_METRIC = "metric name"
"""AMP also limits the series of one metric."""
_QUOTAS = NamedQuotas("aps", NAME)


class ActiveSeries(Rule[int]):
    id = "CW-Q096"
    severity = "warning"
    prevents = "samples that the workspace refuses (429) once it has as many series as it may"
    source = (
        "Amazon Managed Service for Prometheus user guide, service quotas: active series per "
        "workspace"
    )

    def subjects(self, context: Context) -> Subjects[int]:
        if not context.cluster.observability.prometheus:
            return
        found = active_series(context.cluster, load_catalog())
        if found:
            yield ("observability", "prometheus"), found

    def needs(self) -> Facts:
        return (_QUOTAS,)

    def check(self, series: int, context: Context, facts: FactValues) -> Results:
        found = [
            quota
            for quota in facts[_QUOTAS]
            if _PER_METRIC not in quota.name.lower() and quota.value is not None
        ]
        what = f"{series:,} series of all nodes"
        if len(found) != 1:
            names = ", ".join(quota.name for quota in found) or "none"
            yield Unknown(
                message=f"{what} need a workspace that takes them: Service Quotas has no single "
                f"quota of aps named {NAME!r} (found: {names})",
                hint=f"look up the limit in {context.region} in the Service Quotas console, "
                "Amazon Managed Service for Prometheus",
                quota=QuotaNeed(service="aps", code=None, name=NAME, what=what),
            )
            return
        (quota,) = found
        limit = quota.value or 0.0
        if series > limit:
            largest = max(
                group_series(context.cluster, load_catalog()),
                key=lambda group: group.nodes * (group.per_node or 0),
            )
            yield Fail(
                message=f"{what} exceed {quota.name!r}: {limit:,.0f} in {context.region}; a node "
                f"of {largest.group} has {largest.per_node:,}",
                requested=series,
                limit=limit,
                hint=f"request {series:,} of aps {quota.code} in Service Quotas; or drop metrics "
                "that nothing uses, such as node_cpu_seconds_total, with a relabel rule",
            )
