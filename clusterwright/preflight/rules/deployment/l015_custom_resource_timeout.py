"""Static nodes start within the hour that CloudFormation waits."""

from __future__ import annotations

from clusterwright.platforms.parallelcluster.limits import CUSTOM_RESOURCE_SECONDS
from clusterwright.platforms.parallelcluster.queues import compute_groups, counts, static_nodes
from clusterwright.platforms.parallelcluster.timeouts import most_static_nodes, timeouts
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class CustomResourceTimeout(Rule[int]):
    id = "CW-L015"
    severity = "warning"
    prevents = (
        "a stack that fails after an hour and rolls back a cluster whose last nodes are still "
        "starting: ParallelCluster would have waited longer"
    )
    source = (
        "CloudFormation, AWS::CloudFormation::CustomResource, ServiceTimeout (3,600 s at most); "
        "aws/aws-parallelcluster #3373, #3604, #7265"
    )

    def subjects(self, context: Context) -> Subjects[int]:
        """The group with the most static nodes of a ParallelCluster cluster."""
        cluster = context.cluster
        if "parallelcluster" not in cluster.traits.sections or not compute_groups(cluster):
            return
        largest = max(compute_groups(cluster), key=lambda group: counts(group).minimum)
        index = cluster.compute.index(largest)
        key = "count" if largest.min_count is None else "min_count"
        yield ("compute", index, key), static_nodes(cluster)

    def check(self, nodes: int) -> Results:
        seconds = timeouts(nodes).compute_node_bootstrap
        if seconds <= CUSTOM_RESOURCE_SECONDS:
            return
        most = most_static_nodes(CUSTOM_RESOURCE_SECONDS)
        yield Fail(
            message=f"{nodes} nodes start with the cluster and may take {seconds:,} s, and "
            f"CloudFormation waits {CUSTOM_RESOURCE_SECONDS:,} s for it",
            requested=nodes,
            limit=most,
            hint=f"set min_count so that {most} start with it, and add the others in an update; "
            "or `pcluster create-cluster` with `clusterwright render parallelcluster`",
        )
