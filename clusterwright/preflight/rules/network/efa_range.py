"""Whether EFA is the reason why an address plan fails."""

from __future__ import annotations

from clusterwright.platforms.network import plan_network
from clusterwright.preflight.rule import Context


def efa_is_the_problem(context: Context) -> bool:
    """Whether the addresses do not suffice only because an EFA file system requires one /16."""
    problem = context.network_plan.problem
    cluster = context.cluster
    if problem is None or not any(fs.efa for fs in cluster.storage.lustre):
        return False
    plain = [fs.model_copy(update={"efa": False}) for fs in cluster.storage.lustre]
    storage = cluster.storage.model_copy(update={"lustre": plain})
    without = plan_network(cluster.model_copy(update={"storage": storage}), context.catalog)
    return without.problem is None or without.problem.message != problem.message
