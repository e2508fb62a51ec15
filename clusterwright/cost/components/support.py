"""AWS Support: a plan of the whole account, charged by what the account spends in a month."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal

from clusterwright.catalog import Known, Price
from clusterwright.cost.bill import Line
from clusterwright.cost.line_builder import Item, Pricing
from clusterwright.cost.price_book import Quote
from clusterwright.cost.terms import SupportPlan

PLAN = Item("support", "plan, this cluster's share", "month")
_TEXT = "AWS Support plan of the account"


def line(pricing: Pricing, others: Iterable[Line]) -> Line:
    """What the plan adds because of this cluster; unknown until the user says which plan it is.

    With tiers (`support` of prices.yaml) it is the plan's charge for everything that the account
    spends, less the charge without this cluster's known lines.
    """
    plan = pricing.terms.support
    if plan is None:
        return pricing.line(
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
    found = pricing.quoted("support", _TEXT, 1, PLAN, quote, path=("account",))
    words = (
        f"of {known:,.2f} USD of known lines, beside {plan.other_monthly_usd:,.2f} USD that the "
        "account spends otherwise"
    )
    return replace(found, note=words)


def charge(plan: SupportPlan, spending_usd: Decimal) -> Decimal:
    """A month's charge for a month's spending.

    Each tier's percentage of the part that lies in it, and at least the minimum.
    """
    total, below = Decimal(0), Decimal(0)
    for tier in plan.tiers:
        top = spending_usd if tier.up_to_usd is None else min(tier.up_to_usd, spending_usd)
        total += max(Decimal(0), top - below) * tier.percent / 100
        if tier.up_to_usd is None or spending_usd <= tier.up_to_usd:
            break
        below = tier.up_to_usd
    return max(plan.minimum_usd, total)
