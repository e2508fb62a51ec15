"""Waivers name existing rules."""

from __future__ import annotations

from clusterwright.cluster_spec.suggest import closest
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class UnknownWaivedRule(Rule[str]):
    id = "CW-W002"
    prevents = "a waiver without effect because its rule is misspelt"
    source = "the spec's waivers"

    def subjects(self, context: Context) -> Subjects[str]:
        for index, waiver in enumerate(context.cluster.waivers):
            yield ("waivers", index, "rule"), waiver.rule

    def check(self, rule_id: str, context: Context) -> Results:
        if rule_id in context.rule_ids:
            return
        near = closest(rule_id, sorted(context.rule_ids), count=1)
        yield Fail(
            message=f"the rule {rule_id} does not exist",
            requested=rule_id,
            hint=f"did you mean {near[0]}?" if near else None,
        )
