"""Waivers excuse something."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from clusterwright.cluster_spec.models.operations import Waiver
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import FactValues
from clusterwright.preflight.rule import Fail, Rule, Subject, Verdict
from clusterwright.preflight.waivers import covers


class UnusedWaiver(Rule[Waiver]):
    id = "CW-W003"
    title = "Waivers excuse something"
    severity = "info"
    scope = "offline"
    after = True
    prevents = "a waiver that lies in wait for a finding nobody has seen"
    source = "the spec's waivers"

    def subjects(self, context: Context) -> Iterable[Subject[Waiver]]:
        for index, waiver in enumerate(context.cluster.waivers):
            # Of a rule that did not run, or could not tell, nothing follows.
            if waiver.rule in context.decided and waiver.expires >= context.today:
                yield Subject(("waivers", index), waiver)

    def check(
        self, subject: Subject[Waiver], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        del facts
        waiver = subject.value
        for finding in context.findings:
            if finding.rule == waiver.rule and (
                waiver.path is None or covers(waiver.path, finding.path)
            ):
                return
        yield Fail(
            message=f"the waiver of {waiver.rule} excuses nothing",
            where=waiver.rule,
            hint="take it out",
        )


RULE = UnusedWaiver()
