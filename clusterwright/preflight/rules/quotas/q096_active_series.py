"""The workspace for Prometheus takes the series of all nodes.

Where Service Quotas does not list the quota, the documented default decides what it can: series
within it fit, because an account is never given less than a default; more are unknown, because
copies of AWS's page differ in the default and an account may have been given more.
"""

from __future__ import annotations

from clusterwright.catalog import Known, load_catalog
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
            default = _documented_default()
            if default is not None and series <= default:
                return
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


def _documented_default() -> float | None:
    """The default of the catalogue; None if no source states it."""
    for quota in load_catalog().quotas:
        if (quota.service, quota.name.lower()) == ("aps", f"{NAME} per workspace"):
            return quota.default.value if isinstance(quota.default, Known) else None
    return None
