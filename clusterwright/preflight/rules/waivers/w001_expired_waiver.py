"""No waiver has expired."""

from __future__ import annotations

from clusterwright.cluster_spec.models.acceptance import AcceptanceWaiver
from clusterwright.cluster_spec.models.operations import Waiver
from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class ExpiredWaiver(Rule[Waiver | AcceptanceWaiver]):
    id = "CW-W001"
    prevents = "a temporary exception that becomes permanent"
    source = "the spec's waivers"

    def subjects(self, context: Context) -> Subjects[Waiver | AcceptanceWaiver]:
        for index, waiver in enumerate(context.cluster.waivers):
            yield ("waivers", index, "expires"), waiver
        for index, accepted in enumerate(context.cluster.acceptance.waivers):
            yield ("acceptance", "waivers", index, "expires"), accepted

    def check(self, waiver: Waiver | AcceptanceWaiver, context: Context) -> Results:
        if waiver.expires >= context.today:
            return
        if isinstance(waiver, AcceptanceWaiver):
            yield Fail(
                message=f"the waiver of the check {waiver.check} expired on {waiver.expires}: the "
                "check counts again",
                where=waiver.check,
                hint="fix the cause and remove the waiver, or renew it",
            )
        else:
            what = f"{waiver.rule} at {waiver.path}" if waiver.path else waiver.rule
            yield Fail(
                message=f"the waiver of {what} expired on {waiver.expires}",
                where=waiver.rule,
                hint="fix the cause and remove the waiver, or renew it",
            )
