"""The network has enough IP addresses."""

from __future__ import annotations

from clusterwright.preflight.rule import Context, Fail, Path, Results, Rule, Subjects, Unknown
from clusterwright.preflight.rules.network.efa_range import efa_is_the_problem


class Addresses(Rule[None]):
    id = "CW-N003"
    prevents = (
        "nodes that never start because the subnet is full, found hours later; a subnet cannot "
        "be enlarged without replacing everything in it"
    )
    source = "awslabs/awsome-distributed-ai #1122; AWS documentation, HyperPod prerequisites"

    def subjects(self, context: Context) -> Subjects[None]:
        if context.cluster.network.existing is None:
            yield ("network", "cidr"), None

    def check(self, path: Path, context: Context) -> Results:
        plan = context.network_plan
        if plan.unknown_types:
            yield Unknown(
                message="no source states how many addresses a node of "
                f"{', '.join(plan.unknown_types)} needs",
                hint="leave ample space in network.cidr; `clusterwright catalog show` lists what "
                "is known about a type",
            )
        if plan.problem is None or efa_is_the_problem(context):
            return
        problem = plan.problem
        usable = sum(subnet.addresses_usable for subnet in plan.node_subnets)
        yield Fail(
            message=problem.message,
            path=problem.path or path,
            requested=plan.addresses_needed,
            used=None,
            limit=usable,
            where=context.cluster.network.availability_zone_id,
            hint=problem.hint,
        )
