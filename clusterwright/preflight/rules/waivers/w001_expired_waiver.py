"""No waiver has expired."""

from __future__ import annotations

from clusterwright.cluster_spec.models.operations import Waiver
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class ExpiredWaiver(Rule[Waiver]):
    id = "CW-W001"
    prevents = "a temporary exception that becomes permanent"
    source = "the spec's waivers"

    def subjects(self, context: Context) -> Subjects[Waiver]:
        for index, waiver in enumerate(context.cluster.waivers):
            yield ("waivers", index, "expires"), waiver

    def check(self, waiver: Waiver, context: Context) -> Results:
        if waiver.expires < context.today:
            what = f"{waiver.rule} at {waiver.path}" if waiver.path else waiver.rule
            yield Fail(
                message=f"the waiver of {what} expired on {waiver.expires}",
                where=waiver.rule,
                hint="fix the cause and remove the waiver, or renew it",
            )
