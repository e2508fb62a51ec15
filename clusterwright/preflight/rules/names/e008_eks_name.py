"""No EKS cluster of the environment's name stands outside of its stacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clusterwright.platforms.kubernetes.control_plane import cluster_name
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.counts import EksClusters
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.rule import Subject, Verdict
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

    def subjects(self, context: Context) -> Iterable[Subject[str]]:
        if context.cluster.uses_kubernetes:
            yield Subject(HERE, cluster_name(context.cluster))

    def needs(self, subject: Subject[str], context: Context) -> Iterable[Fact[Any]]:
        del subject
        return (EksClusters(), own_stacks(context))

    def check(
        self, subject: Subject[str], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        if subject.value not in facts[EksClusters()]:
            return
        if not facts[own_stacks(context)].has("AWS::EKS::Cluster", subject.value):
            hint = "choose another environment, or delete that cluster"
            yield taken("an EKS cluster", subject, context, hint=hint)


RULE = EksName()
