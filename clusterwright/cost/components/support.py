"""AWS Support: a plan of the account, charged by its monthly spending."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal

from clusterwright.catalog import Known, Price
from clusterwright.cost.bill import Line
from clusterwright.cost.line_builder import Item, LineBuilder
from clusterwright.cost.price_book import Quote
from clusterwright.cost.terms import SupportPlan

PLAN = Item("support", "plan, this cluster's share", "month")
_TEXT = "AWS Support plan of the account"


def line(builder: LineBuilder, others: Iterable[Line]) -> Line:
    """The increase of the plan's charge by this cluster; unknown until the user states the plan.

    With tiers (`support` of prices.yaml) it is the charge for all spending of the account, less
    the charge without the known lines of this cluster.
    """
    plan = builder.terms.support
    if plan is None:
        return builder.line(
            "support",
            _TEXT,
            1,
            PLAN,
            path=("account",),
            note="charged by the spending of the whole account; 0 with Basic Support",
        )
    known = sum((line.monthly_usd or Decimal(0) for line in others), Decimal(0))
    share = charge(plan, plan.other_monthly_usd + known) - charge(plan, plan.other_monthly_usd)
    price = Price(share, PLAN.unit)
    quote = Quote(Known(price, f"your plan: {plan.source}", plan.date, derived=True), "user")
    found = builder.quoted("support", _TEXT, 1, PLAN, quote, path=("account",))
    note = (
        f"of {known:,.2f} USD of known lines and {plan.other_monthly_usd:,.2f} USD of other "
        "spending of the account"
    )
    return replace(found, note=note)


def charge(plan: SupportPlan, spending_usd: Decimal) -> Decimal:
    """The monthly charge for a month's spending.

    The sum of each tier's percentage of the spending in it, at least the minimum.
    """
    total, below = Decimal(0), Decimal(0)
    for tier in plan.tiers:
        top = spending_usd if tier.up_to_usd is None else min(tier.up_to_usd, spending_usd)
        total += max(Decimal(0), top - below) * tier.percent / 100
        if tier.up_to_usd is None or spending_usd <= tier.up_to_usd:
            break
        below = tier.up_to_usd
    return max(plan.minimum_usd, total)
