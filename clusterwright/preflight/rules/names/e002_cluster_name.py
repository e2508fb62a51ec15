"""No HyperPod cluster of the environment's name stands outside of its stacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.facts.hyperpod import HyperPodClusters
from clusterwright.preflight.rule import Fail, Subject, Verdict
from clusterwright.preflight.rules.names.name_conflicts import HERE, TakenNameRule, own_stacks


class ClusterName(TakenNameRule):
    id = "CW-E002"
    title = "The cluster's name is free, or the cluster is that of the stacks"
    prevents = "CreateCluster fails with ResourceInUse, after the stacks before it are made"
    source = "SageMaker CreateCluster, ClusterName: unique within the account in a Region"

    def subjects(self, context: Context) -> Iterable[Subject[str]]:
        if context.on_hyperpod:
            yield Subject(HERE, context.cluster.environment)

    def needs(self, subject: Subject[str], context: Context) -> Iterable[Fact[Any]]:
        del subject
        return (HyperPodClusters(), own_stacks(context))

    def check(
        self, subject: Subject[str], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        stacks = facts[own_stacks(context)]
        for cluster in facts[HyperPodClusters()]:
            if cluster.name != subject.value:
                continue
            ids = (cluster.arn, cluster.name, cluster.arn.rpartition("/")[2])
            if any(stacks.has("AWS::SageMaker::Cluster", name) for name in ids):
                return
            yield Fail(
                message=f"there is a cluster {cluster.name} already ({cluster.status}), and none "
                "of the stacks made it",
                requested=subject.value,
                where=cluster.arn,
                hint="choose another environment, delete that cluster, or import it into the "
                "stack",
            )


RULE = ClusterName()
