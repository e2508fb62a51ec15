"""Failed nodes are replaced automatically."""

from __future__ import annotations

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects

LARGE = 16


class NodeRecovery(Rule[None]):
    id = "CW-L004"
    severity = "warning"
    prevents = "a run that waits for an operator each time a node fails"
    source = "Kokolis et al., arXiv:2410.21680: 2.3 to 6.5 failures per thousand node-days"

    def subjects(self, context: Context) -> Subjects[None]:
        # On ParallelCluster slurmctld replaces them, without a key.
        if context.on_hyperpod or context.platform.managed_node_groups:
            yield ("resilience", "node_recovery"), None

    def check(self, context: Context) -> Results:
        cluster = context.cluster
        nodes = sum(g.count for g in cluster.compute if g.role == "compute")
        if cluster.resilience.node_recovery == "none" and nodes >= LARGE:
            yield Fail(
                message="failed nodes are not replaced automatically, and the cluster has "
                f"{nodes} nodes",
                requested=nodes,
                hint="node_recovery: automatic",
            )
