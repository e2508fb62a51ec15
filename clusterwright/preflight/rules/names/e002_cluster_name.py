"""The HyperPod cluster's name is available, or the stacks created the cluster."""

from __future__ import annotations

from clusterwright.preflight.facts.hyperpod import HyperPodClusters
from clusterwright.preflight.rule import Context, Facts, FactValues, Fail, Results, Subjects
from clusterwright.preflight.rules.names.name_conflicts import HERE, NameConflictRule, own_stacks


class ClusterName(NameConflictRule):
    id = "CW-E002"
    prevents = "CreateCluster fails with ResourceInUse, after the stacks before it are created"
    source = "SageMaker CreateCluster, ClusterName: unique within the account in a Region"

    def subjects(self, context: Context) -> Subjects[str]:
        if context.on_hyperpod:
            yield HERE, context.cluster.environment

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
                message=f"a cluster named {cluster.name} already exists ({cluster.status}), and "
                "none of the stacks created it",
                requested=cluster_name,
                where=cluster.arn,
                hint="use another environment name, delete that cluster, or import it into the "
                "stack",
            )
