"""The PCS cluster's name is available, or the stacks created the cluster."""

from __future__ import annotations

from clusterwright.preflight.facts.pcs import PcsCluster
from clusterwright.preflight.rule import Context, Facts, FactValues, Results, Subjects
from clusterwright.preflight.rules.names.name_conflicts import (
    HERE,
    NameConflictRule,
    name_conflict,
    own_stacks,
)


class PcsName(NameConflictRule):
    id = "CW-E014"
    prevents = "CreateCluster of PCS fails with ConflictException"
    source = "PCS API, CreateCluster: the name is unique within the account in a Region"

    def subjects(self, context: Context) -> Subjects[str]:
        if context.platform.service_runs_controller:
            yield HERE, context.cluster.environment

    def needs(self, name: str, context: Context) -> Facts:
        return (PcsCluster(name), own_stacks(context))

    def check(self, name: str, context: Context, facts: FactValues) -> Results:
        found = facts[PcsCluster(name)]
        if found is None:
            return
        if not facts[own_stacks(context)].has("AWS::PCS::Cluster", found.arn):
            hint = "use another environment name, or delete that cluster"
            yield name_conflict("a PCS cluster", name, context, hint=hint)
