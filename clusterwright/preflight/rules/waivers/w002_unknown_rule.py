"""Waivers name rules that exist."""

from __future__ import annotations

from clusterwright.cluster_spec.suggest import closest
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subject, Subjects


class UnknownWaivedRule(Rule[str]):
    id = "CW-W002"
    title = "Waivers name rules that exist"
    scope = "offline"
    prevents = "a waiver that excuses nothing because its rule is misspelt"
    source = "the spec's waivers"

    def subjects(self, context: Context) -> Subjects[str]:
        for index, waiver in enumerate(context.cluster.waivers):
            yield Subject(("waivers", index, "rule"), waiver.rule)

    def check(self, rule_id: str, context: Context) -> Results:
        if rule_id in context.rule_ids:
            return
        near = closest(rule_id, sorted(context.rule_ids), count=1)
        yield Fail(
            message=f"there is no rule {rule_id}",
            requested=rule_id,
            hint=f"did you mean {near[0]}?" if near else None,
        )


RULE = UnknownWaivedRule()
