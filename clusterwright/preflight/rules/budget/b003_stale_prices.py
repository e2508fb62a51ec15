"""Prices used for the budget are less than 90 days old."""

from __future__ import annotations

from clusterwright.preflight.rule import Context, Fail, Results, Rule, Subjects


class StalePrices(Rule[None]):
    id = "CW-B003"
    severity = "info"
    prevents = "a budget check with outdated prices"
    source = "AWS changes prices of capacity about every quarter"

    def subjects(self, context: Context) -> Subjects[None]:
        if context.cluster.budget is not None:
            yield ("budget",), None

    def check(self, context: Context) -> Results:
        stale = context.bill.stale
        if stale:
            components = ", ".join(dict.fromkeys(line.component for line in stale))
            yield Fail(
                message=f"{len(stale)} prices are older than 90 days or have no date "
                f"({components})",
                requested=len(stale),
                hint="`clusterwright catalog refresh`, or your own rates in prices.yaml",
            )
