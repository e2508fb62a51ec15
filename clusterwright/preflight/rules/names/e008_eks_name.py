"""No EKS cluster of the environment's name stands outside of its stacks."""

from __future__ import annotations

from clusterwright.platforms.kubernetes.control_plane import cluster_name
from clusterwright.preflight.facts.counts import EksClusters
from clusterwright.preflight.rule import Context, Facts, FactValues, Results, Subject, Subjects
from clusterwright.preflight.rules.names.name_conflicts import (
    HERE,
    TakenNameRule,
    own_stacks,
    taken,
)


class EksName(TakenNameRule):
    id = "CW-E008"
    title = "The EKS cluster's name is free, or the cluster is that of the stacks"
    prevents = "CreateCluster of EKS fails with ResourceInUseException"
    source = "EKS API, CreateCluster: the name is unique within the account in a Region"

    def subjects(self, context: Context) -> Subjects[str]:
        if context.cluster.uses_kubernetes:
            yield Subject(HERE, cluster_name(context.cluster))

    def needs(self, context: Context) -> Facts:
        return (EksClusters(), own_stacks(context))

    def check(self, name: str, context: Context, facts: FactValues) -> Results:
        if name not in facts[EksClusters()]:
            return
        if not facts[own_stacks(context)].has("AWS::EKS::Cluster", name):
            hint = "choose another environment, or delete that cluster"
            yield taken("an EKS cluster", name, context, hint=hint)


RULE = EksName()
