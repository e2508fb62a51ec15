"""The EKS cluster's name is available, or the stacks created the cluster."""

from __future__ import annotations

from clusterwright.platforms.kubernetes.control_plane import cluster_name
from clusterwright.preflight.facts.counts import EksClusters
from clusterwright.preflight.rule import Context, Facts, FactValues, Results, Subjects
from clusterwright.preflight.rules.names.name_conflicts import (
    HERE,
    NameConflictRule,
    name_conflict,
    own_stacks,
)


class EksName(NameConflictRule):
    id = "CW-E008"
    prevents = "CreateCluster of EKS fails with ResourceInUseException"
    source = "EKS API, CreateCluster: the name is unique within the account in a Region"

    def subjects(self, context: Context) -> Subjects[str]:
        if context.cluster.uses_kubernetes:
            yield HERE, cluster_name(context.cluster)

    def needs(self, context: Context) -> Facts:
        return (EksClusters(), own_stacks(context))

    def check(self, name: str, context: Context, facts: FactValues) -> Results:
        if name not in facts[EksClusters()]:
            return
        if not facts[own_stacks(context)].has("AWS::EKS::Cluster", name):
            hint = "use another environment name, or delete that cluster"
            yield name_conflict("an EKS cluster", name, context, hint=hint)
