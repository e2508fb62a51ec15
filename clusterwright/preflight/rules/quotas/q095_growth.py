"""Quotas suffice for max_count."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cache

from clusterwright.cluster_spec.karpenter import runs_in_cluster
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Results,
    Rule,
    Subject,
    Subjects,
)
from clusterwright.preflight.rules.growth import at_growth, grown, grows
from clusterwright.preflight.rules.quotas.quota_rule import QuotaDemand, QuotaRule

OF_NODE_GROUPS = ("CW-Q061", "CW-Q062")
"""Managed node groups do not grow if Karpenter adds nodes, which are in no node group."""


@dataclass(frozen=True)
class Growth:
    """The demand of a quota rule at max_count and today's demand, if any."""

    rule: QuotaRule
    then: Subject[QuotaDemand]
    now: Subject[QuotaDemand] | None


class GrowthQuotas(Rule[Growth]):
    id = "CW-Q095"
    severity = "warning"
    prevents = (
        "a deployed cluster that cannot grow when needed: quota increases take days to weeks"
    )
    source = "awslabs/awsome-distributed-ai #198; aws/aws-parallelcluster #1375"

    def subjects(self, context: Context) -> Subjects[Growth]:
        if not grows(context):
            return
        larger = grown(context)
        for rule in _quota_rules():
            if rule.id in OF_NODE_GROUPS and runs_in_cluster(context.cluster):
                continue
            today = {_name(s): s for s in rule.subjects(context)}
            for then in rule.subjects(larger):
                path, demand = then
                now = today.get(_name(then))
                # The rule itself checks quotas that the count does not affect, and those without
                # a code.
                if demand.code and (now is None or demand.amount > now[1].amount):
                    yield at_growth(context, path), Growth(rule, then, now)

    def needs(self, growth: Growth, context: Context) -> Facts:
        return growth.rule.facts_for(growth.then, grown(context))

    def check(self, growth: Growth, context: Context, facts: FactValues) -> Results:
        now = growth.now
        passes = now is None or not list(growth.rule.results(now, context, facts))
        when = "this passes today, max_count will not" if passes else "at max_count"
        for result in growth.rule.results(growth.then, grown(context), facts):
            if isinstance(result, Fail):
                yield dataclasses.replace(
                    result, message=f"{when}: {result.message}", severity="warning", path=None
                )
            else:
                yield result


@cache
def _quota_rules() -> tuple[QuotaRule, ...]:
    from clusterwright.preflight.registry import rule_files

    return tuple(
        file.rule
        for file in rule_files()
        if file.id.startswith("CW-Q") and file.id != GrowthQuotas.id
        if isinstance(file.rule, QuotaRule)
    )


def _name(subject: Subject[QuotaDemand]) -> tuple[str, str | None, str, str]:
    _, demand = subject
    return demand.service, demand.code, demand.key, demand.label
