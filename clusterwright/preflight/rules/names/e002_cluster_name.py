"""No HyperPod cluster of the environment's name stands outside of its stacks."""

from __future__ import annotations

from clusterwright.preflight.facts.hyperpod import HyperPodClusters
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Subject,
    Subjects,
)
from clusterwright.preflight.rules.names.name_conflicts import HERE, TakenNameRule, own_stacks


class ClusterName(TakenNameRule):
    id = "CW-E002"
    title = "The cluster's name is free, or the cluster is that of the stacks"
    prevents = "CreateCluster fails with ResourceInUse, after the stacks before it are made"
    source = "SageMaker CreateCluster, ClusterName: unique within the account in a Region"

    def subjects(self, context: Context) -> Subjects[str]:
        if context.on_hyperpod:
            yield Subject(HERE, context.cluster.environment)

    def needs(self, context: Context) -> Facts:
        return (HyperPodClusters(), own_stacks(context))

    def check(self, cluster_name: str, context: Context, facts: FactValues) -> Results:
        stacks = facts[own_stacks(context)]
        for cluster in facts[HyperPodClusters()]:
            if cluster.name != cluster_name:
                continue
            ids = (cluster.arn, cluster.name, cluster.arn.rpartition("/")[2])
            if any(stacks.has("AWS::SageMaker::Cluster", name) for name in ids):
                return
            yield Fail(
                message=f"there is a cluster {cluster.name} already ({cluster.status}), and none "
                "of the stacks made it",
                requested=cluster_name,
                where=cluster.arn,
                hint="choose another environment, delete that cluster, or import it into the "
                "stack",
            )


RULE = ClusterName()
