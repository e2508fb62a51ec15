"""The network has enough IP addresses for max_count."""

from __future__ import annotations

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects
from clusterwright.preflight.rules.growth import at_growth, grown, grows


class GrowthAddresses(Rule[None]):
    id = "CW-N016"
    severity = "warning"
    prevents = (
        "a cluster that cannot grow to its max_count: a subnet cannot be enlarged without "
        "replacing everything in it"
    )
    source = "AWS documentation, VPC subnet sizing; awslabs/awsome-distributed-ai #1122"

    def subjects(self, context: Context) -> Subjects[None]:
        if context.cluster.network.existing is None and grows(context):
            yield at_growth(context, ()), None

    def check(self, context: Context) -> Results:
        # CW-N003 reports types of unknown need.
        plan = grown(context).network_plan
        if plan.problem is None:
            return
        fits = context.network_plan.problem is None
        yield Fail(
            message=f"{'this fits today, max_count will not' if fits else 'at max_count'}: "
            f"{plan.problem.message}",
            requested=plan.addresses_needed,
            limit=sum(subnet.addresses_usable for subnet in plan.node_subnets),
            where=context.cluster.network.availability_zone_id,
            hint=plan.problem.hint,
        )
