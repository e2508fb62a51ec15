"""PCS clusters of the region."""

from __future__ import annotations

from clusterwright.preflight.facts.account import NamedQuotas
from clusterwright.preflight.facts.pcs import PcsClusters
from clusterwright.preflight.results import QuotaNeed
from clusterwright.preflight.rule import (
    Context,
    FactValues,
    Fail,
    Results,
    Rule,
    Subjects,
    Unknown,
)

_SERVICE = "pcs"
_QUOTAS = NamedQuotas(_SERVICE, "clusters")
_OTHER_WORDS = ("creating", "per cluster")
"""Words in names of quotas of parts of a cluster, and of clusters that are being created."""


class PcsClusterQuota(Rule[str]):
    id = "CW-Q063"
    prevents = "CreateCluster of PCS fails with ServiceQuotaExceededException"
    source = (
        "PCS user guide, service-endpoints-quotas: clusters per Region, adjustable, without a "
        "published code"
    )
    needs = (PcsClusters(), _QUOTAS)

    def subjects(self, context: Context) -> Subjects[str]:
        if context.platform.service_runs_controller:
            yield ("platform",), context.cluster.environment

    def check(self, name: str, context: Context, facts: FactValues) -> Results:
        others = len([one for one in facts[PcsClusters()] if one != name])
        found = [
            quota
            for quota in facts[_QUOTAS]
            if quota.value is not None
            and not any(words in quota.name.lower() for words in _OTHER_WORDS)
        ]
        if len(found) != 1:
            names = ", ".join(quota.name for quota in found) or "none"
            yield Unknown(
                message=f"a cluster beside {others} others needs the quota of PCS clusters: "
                f"Service Quotas has no single one (found: {names})",
                hint=f"look up the limit in {context.region} in the Service Quotas console, AWS "
                "Parallel Computing Service",
                quota=QuotaNeed(
                    service=_SERVICE, code=None, name="clusters", what="the cluster needs"
                ),
            )
            return
        (quota,) = found
        limit = quota.value or 0.0
        if others + 1 <= limit:
            return
        yield Fail(
            message=f"the cluster needs 1 of {quota.name!r}, and {others} others of "
            f"{limit:,.0f} exist in {context.region}",
            requested=1,
            used=others,
            limit=limit,
            where=f"{_SERVICE}/{quota.code} in {context.region}",
            quota_code=quota.code,
            hint=f"request {others + 1} of {_SERVICE} {quota.code} in Service Quotas",
        )
