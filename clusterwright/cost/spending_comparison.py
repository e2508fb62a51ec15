"""Compare spending with the bill, by family of services."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from clusterwright.cost.bill import Bill
from clusterwright.cost.bill_extras import Spending, SpendingComparison, SpendingRow
from clusterwright.platforms.registry import traits_of

LAG: Final = (
    "Cost Explorer is updated at least once a day, and the figures of the last one or two days "
    "may change"
)
"""AWS documentation, "Analyzing your costs with AWS Cost Explorer"."""

_HYPERPOD: Final[Mapping[str, str]] = {"compute": "instances", "volumes": "instances"}
_EC2: Final[Mapping[str, str]] = {"compute": "instances", "volumes": "network"}
_FAMILIES: Final[Mapping[str, str]] = {
    "lustre": "file systems",
    "home": "file systems",
    "objects": "S3",
    "images": "container images",
    "network": "network",
    "accounting": "database and secrets",
    "identity": "KMS",
    "observability": "observability",
    "kubernetes": "EKS",
    "parallelcluster": "other",
    "scheduler": "PCS",
    "support": "support",
}
# Cost Explorer's names of services. EC2 - Other holds NAT gateways and, where instances are
# EC2's own, their volumes.
_SERVICES: Final[Mapping[str, str]] = {
    "Amazon SageMaker": "instances",
    "Amazon SageMaker AI": "instances",
    "Amazon Elastic Compute Cloud - Compute": "instances",
    "EC2 - Other": "network",
    "Amazon Virtual Private Cloud": "network",
    "Amazon FSx": "file systems",
    "Amazon Simple Storage Service": "S3",
    "Amazon Relational Database Service": "database and secrets",
    "AWS Secrets Manager": "database and secrets",
    "AWS Key Management Service": "KMS",
    "AmazonCloudWatch": "observability",
    "Amazon CloudWatch": "observability",
    "Amazon Managed Service for Prometheus": "observability",
    "Amazon Managed Grafana": "observability",
    "Amazon Simple Notification Service": "observability",
    "AWS Lambda": "observability",
    "AWS Budgets": "observability",
    "Amazon Elastic Container Service for Kubernetes": "EKS",
    "AWS Parallel Computing Service": "PCS",
}
_OTHER: Final = "other"
EXCLUDED: Final = (
    "credits, refunds and taxes are excluded; upfront payments count on the day of payment"
)


def compare(bill: Bill, spending: Spending) -> SpendingComparison:
    """Compare a bill with the spending, for the number of days with cost under the tag."""
    own = _HYPERPOD if traits_of(bill.platform).on_hyperpod else _EC2
    hours = Decimal(spending.days_with_cost * 24)
    expected: dict[str, Decimal] = {}
    unknown: dict[str, int] = {}
    for line in bill.lines:
        family = own.get(line.component) or _FAMILIES.get(line.component, _OTHER)
        hourly = line.hourly_usd
        expected[family] = expected.get(family, Decimal(0)) + (hourly or 0) * hours
        unknown[family] = unknown.get(family, 0) + (hourly is None)
    actual: dict[str, Decimal] = {}
    for service, usd in spending.by_service.items():
        family = family_of(service)
        actual[family] = actual.get(family, Decimal(0)) + usd
    rows = tuple(
        SpendingRow(
            family,
            expected.get(family, Decimal(0)),
            actual.get(family, Decimal(0)),
            unknown.get(family, 0),
        )
        for family in dict.fromkeys([*expected, *sorted(actual)])
    )
    return SpendingComparison(spending, rows, tuple(_notes(spending)))


def family_of(service: str) -> str:
    """The family of a service, by its name in Cost Explorer."""
    if service.startswith("AWS Support"):
        return "support"
    return _SERVICES.get(service, _OTHER)


def _notes(spending: Spending) -> list[str]:
    notes = [LAG]
    days = (spending.end - spending.start).days
    if spending.days_with_cost == 0:
        notes.append(f"no cost is tagged {spending.tag}={spending.value} in these {days} days")
    elif spending.days_with_cost < days:
        notes.append(
            f"compared over the {spending.days_with_cost} of {days} days that have costs, the "
            f"last one {spending.last_day}"
        )
    if spending.estimated:
        notes.append("a part of the spending is estimated")
    return [*notes, *tag_notes(spending), EXCLUDED, *spending.notes]


def tag_notes(spending: Spending) -> list[str]:
    """What to know about the status of the tag; nothing if it is active or not known."""
    if spending.tag_status in (None, "Active"):
        return []
    return [
        f"the tag {spending.tag} is {spending.tag_status} as a cost allocation tag: costs "
        "have it from the day of its activation (Billing, Cost allocation tags)"
    ]


def instances_usd(by_service: Mapping[str, Decimal]) -> Decimal:
    """The part of some spending that is for instances."""
    found = (usd for name, usd in by_service.items() if family_of(name) == "instances")
    return sum(found, Decimal(0))
