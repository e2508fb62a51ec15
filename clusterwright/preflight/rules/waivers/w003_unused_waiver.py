"""Waivers apply to a finding."""

from __future__ import annotations

from clusterwright.cluster_spec.models.operations import Waiver
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects
from clusterwright.preflight.waivers import covers


class UnusedWaiver(Rule[Waiver]):
    id = "CW-W003"
    severity = "info"
    after = True
    prevents = "a waiver that hides a future finding"
    source = "the spec's waivers"

    def subjects(self, context: Context) -> Subjects[Waiver]:
        for index, waiver in enumerate(context.cluster.waivers):
            # A rule that did not run, or was unknown, shows nothing.
            if waiver.rule in context.decided and waiver.expires >= context.today:
                yield ("waivers", index), waiver

    def check(self, waiver: Waiver, context: Context) -> Results:
        for finding in context.findings:
            if finding.rule == waiver.rule and (
                waiver.path is None or covers(waiver.path, finding.path)
            ):
                return
        yield Fail(
            message=f"the waiver of {waiver.rule} applies to no finding",
            where=waiver.rule,
            hint="remove it",
        )
