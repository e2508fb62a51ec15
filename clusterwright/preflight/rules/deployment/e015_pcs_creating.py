"""No other PCS cluster of the account is being created in the region."""

from __future__ import annotations

from clusterwright.cluster_spec.problems import Path
from clusterwright.preflight.facts.pcs import PcsClusters
from clusterwright.preflight.rule import (
    Context,
    FactValues,
    Fail,
    Results,
    Rule,
    Subjects,
    Unknown,
)

_HERE: Path = ("platform",)
_CREATING = "CREATING"
_OTHERS = frozenset(
    {
        *("ACTIVE", "UPDATING", "DELETING", "CREATE_FAILED", "DELETE_FAILED", "UPDATE_FAILED"),
        *("SUSPENDING", "SUSPENDED", "RESUMING"),
    }
)
"""The other states of the API model (ClusterStatus, botocore 1.44.5)."""


class PcsCreating(Rule[str]):
    id = "CW-E015"
    prevents = (
        "CreateCluster of PCS fails with ServiceQuotaExceededException: one cluster per account "
        "and Region can be in the state CREATING"
    )
    source = "PCS API, CreateCluster: there can only be 1 cluster in a Creating state"
    needs = (PcsClusters(),)

    def subjects(self, context: Context) -> Subjects[str]:
        if context.platform.service_runs_controller:
            yield _HERE, context.cluster.environment

    def check(self, name: str, context: Context, facts: FactValues) -> Results:
        statuses = facts[PcsClusters()]
        if name in statuses:  # an update, which creates none
            return
        for other in sorted(statuses):
            if statuses[other] == _CREATING:
                yield Fail(
                    message=f"the PCS cluster {other} is being created: PCS creates one cluster "
                    "at a time per account and Region",
                    requested=name,
                    where=context.region,
                    hint=f"deploy when {other} is ACTIVE",
                )
            elif statuses[other] not in _OTHERS:
                yield Unknown(
                    message=f"the PCS cluster {other} is {statuses[other]}, a state that this "
                    "version does not know: it may be in creation",
                    hint=f"look at {other} in the PCS console in {context.region}",
                )
