"""Agreements of a user: discounts, Savings Plans, support plan, usage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from clusterwright.cost.bill import HOURS_PER_MONTH, Prepaid

EVERYTHING = "*"
"""The service of a discount on everything."""


@dataclass(frozen=True)
class Discount:
    """A percentage off list prices of a service: its name in the price files, `hyperpod` or `ec2`
    for instances, `*` for everything. Rates that the user states have no discount.
    """

    service: str
    percent: Decimal
    source: str
    date: str

    @property
    def factor(self) -> Decimal:
        return 1 - self.percent / 100


@dataclass(frozen=True)
class SavingsPlan:
    """A rate for instances of one type in one region, with a commitment per hour.

    `covers` is the kind of list price that it replaces. Without a commitment it covers all
    instances of the type.
    """

    instance_type: str
    covers: Literal["ec2-on-demand", "hyperpod-on-demand"]
    region: str
    usd: Decimal
    commitment_usd_per_hour: Decimal | None
    source: str
    date: str


@dataclass(frozen=True)
class SupportTier:
    """A percentage of the spending up to an amount; the last tier has no upper limit."""

    percent: Decimal
    up_to_usd: Decimal | None


@dataclass(frozen=True)
class SupportPlan:
    """The charge of the account's support plan, by monthly spending of the whole account.

    `other_monthly_usd` is the spending of the account outside this cluster.
    """

    tiers: tuple[SupportTier, ...]
    minimum_usd: Decimal
    other_monthly_usd: Decimal
    source: str
    date: str


@dataclass(frozen=True)
class Usage:
    """A quantity in the item's unit: per month, or per node and hour or month."""

    quantity: Decimal
    per: Literal["month", "node_hour", "node_month"] = "month"

    def monthly(self, nodes: int) -> Decimal:
        if self.per == "month":
            return self.quantity
        each = self.quantity * (HOURS_PER_MONTH if self.per == "node_hour" else 1)
        return each * nodes

    def description(self, nodes: int) -> str:
        if self.per == "month":
            return "your usage"
        per = "hour" if self.per == "node_hour" else "month"
        return f"your usage: {self.quantity:f} per node and {per}, {nodes} nodes"


@dataclass(frozen=True)
class Terms:
    """All agreements, in the order of the file."""

    discounts: tuple[Discount, ...] = ()
    savings_plans: tuple[SavingsPlan, ...] = ()
    purchases: tuple[Prepaid, ...] = ()
    support: SupportPlan | None = None

    def discount(self, service: str) -> Discount | None:
        """The discount of a service, or else the discount on everything."""
        by_service: Mapping[str, Discount] = {d.service: d for d in self.discounts}
        return by_service.get(service) or by_service.get(EVERYTHING)
