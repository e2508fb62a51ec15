"""Waivers name rules that exist."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clusterwright.cluster_spec.suggest import closest
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.rule import Fail, Rule, Subject, Verdict


class UnknownWaivedRule(Rule[str]):
    id = "CW-W002"
    title = "Waivers name rules that exist"
    severity = "error"
    scope = "offline"
    prevents = "a waiver that excuses nothing because its rule is misspelt"
    source = "the spec's waivers"

    def subjects(self, context: Context) -> Iterable[Subject[str]]:
        for index, waiver in enumerate(context.cluster.waivers):
            yield Subject(("waivers", index, "rule"), waiver.rule)

    def check(
        self, subject: Subject[str], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del facts
        if subject.value in context.rule_ids:
            return
        near = closest(subject.value, sorted(context.rule_ids), count=1)
        yield Fail(
            message=f"there is no rule {subject.value}",
            requested=subject.value,
            hint=f"did you mean {near[0]}?" if near else None,
        )


RULE = UnknownWaivedRule()
