"""Base of the quota rules: demand of the cluster, current usage, remaining quota.

A quota rule is a row of a table; the modules `*_quotas.py` have one table per AWS service.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from clusterwright.aws import quotas
from clusterwright.catalog import Fact as CatalogFact
from clusterwright.catalog import Known, Quota
from clusterwright.platforms.hyperpod.instance_groups import ml_name
from clusterwright.preflight.facts.account import AppliedQuota
from clusterwright.preflight.facts.fact import Fact
from clusterwright.preflight.results import QuotaNeed
from clusterwright.preflight.rule import (
    Context,
    Facts,
    FactValues,
    Fail,
    Path,
    Results,
    Rule,
    Subjects,
    Unknown,
)

REQUEST_TIME = "allow days to weeks"


@dataclass(frozen=True)
class QuotaDemand:
    """The demand of the cluster on a quota.

    Attributes
    ----------
    amount:
        In the unit of the quota.
    needed_by:
        What requires it, as the beginning of a sentence: `64 × ml.p5.48xlarge need`.
    label:
        The name of the quota.
    code:
        None where the catalogue does not know the code; `reason` then gives the reason.
    key:
        What identifies the current usage: an instance type, a deployment type, a zone.
    """

    amount: float
    needed_by: str
    label: str
    service: str
    code: str | None
    key: str = ""
    unit: str = ""
    reason: str = ""


@dataclass(frozen=True)
class QuotaUsage:
    """Current usage of a quota, in the quota's unit; `ours` if it belongs to this cluster."""

    amount: float
    ours: bool


@dataclass(frozen=True)
class Usage:
    """How the current usage of a quota is counted, and from which facts."""

    facts: tuple[Fact[Any], ...] = ()
    count: Callable[[QuotaDemand, Context, FactValues], Iterable[QuotaUsage]] = lambda *_: ()


PER_RESOURCE = Usage()
"""A limit of each resource: no other usage counts against it."""

Demands = Callable[[Context], Subjects[QuotaDemand]]


@dataclass(frozen=True)
class ServiceQuota:
    """A quota by its code in Service Quotas."""

    service: str
    code: str
    label: str
    unit: str = ""

    def demand(self, amount: float, needed_by: str, key: str = "") -> QuotaDemand:
        return QuotaDemand(amount, needed_by, self.label, self.service, self.code, key, self.unit)

    def at(self, path: Path, needed_by: str, amount: Callable[[Context], float | None]) -> Demands:
        """The demand of one setting of the spec; none where `amount` returns None."""

        def demands(context: Context) -> Subjects[QuotaDemand]:
            found = amount(context)
            return [] if found is None else [(path, self.demand(found, needed_by))]

        return demands


@dataclass(frozen=True, kw_only=True, eq=False)
class QuotaRule(Rule[QuotaDemand]):
    """Compare what the cluster demands with the applied quota minus the usage of others."""

    id: str
    title: str
    prevents: str
    source: str
    demands: Demands
    usage: Usage = PER_RESOURCE

    def subjects(self, context: Context) -> Subjects[QuotaDemand]:
        return self.demands(context)

    def needs(self, demand: QuotaDemand) -> Facts:
        return (
            (AppliedQuota(demand.service, demand.code), *self.usage.facts) if demand.code else ()
        )

    def check(self, demand: QuotaDemand, context: Context, facts: FactValues) -> Results:
        region = quotas.region_of(demand.service, context.region)
        if demand.code is None:
            yield Unknown(
                message=f"{demand.needed_by} a quota whose code is not known: {demand.reason}",
                hint=f"look up the quota in {region} in the Service Quotas console, "
                f"service {demand.service}",
                quota=QuotaNeed(
                    service=demand.service,
                    code=None,
                    name=demand.label,
                    what=demand.needed_by,
                    region=region,
                ),
            )
            return
        quota = facts[AppliedQuota(demand.service, demand.code)]
        limit = quota.value
        usages = list(self.usage.count(demand, context, facts))
        # An update keeps what the cluster already has: only the usage of others reduces the rest.
        used = sum(usage.amount for usage in usages if not usage.ours)
        if quota.measured_use is not None and (usages or self.usage.facts):
            own = sum(usage.amount for usage in usages if usage.ours)
            used = max(used, quota.measured_use - own)
        if demand.amount <= limit - used:
            return
        free = max(0, limit - used)
        unit = f" {demand.unit}" if demand.unit else ""
        verb = "is" if free == 1 and not demand.unit else "are"
        desired = math.ceil(used + demand.amount)
        yield Fail(
            message=f'{demand.needed_by} {whole(demand.amount):,}{unit} of "{demand.label}", '
            f"{whole(free):,}{unit} {verb} free in {region}",
            requested=whole(demand.amount),
            used=whole(used),
            limit=whole(limit),
            where=f"{demand.service}/{demand.code} in {region}",
            quota_code=demand.code,
            hint=f"request {desired}: `clusterwright check {context.spec.file} --request-quotas`; "
            f"{REQUEST_TIME}"
            if quota.adjustable is not False
            else "AWS does not increase this quota on request: use less"
            + (", or another region" if region == context.region else ""),
            quota=QuotaNeed(
                service=demand.service,
                code=demand.code,
                name=demand.label,
                what=demand.needed_by,
                limit=limit,
                used=used,
                desired=float(desired),
                adjustable=quota.adjustable,
                region=region,
            ),
        )


def by_stack(
    fact: Fact[Any],
    amount: Callable[[Any], float] = lambda resource: 1,
    *,
    where: Callable[[Any, QuotaDemand], bool] = lambda resource, demand: True,
) -> Usage:
    """The usage by resources that know the name of their stack."""

    def count(demand: QuotaDemand, context: Context, facts: FactValues) -> list[QuotaUsage]:
        return [
            QuotaUsage(amount(resource), context.stack_is_ours(resource.stack))
            for resource in facts[fact]
            if where(resource, demand)
        ]

    return Usage((fact,), count)


def whole(number: float) -> int | float:
    """The same number, as an int if it has no fraction, else with two decimal places."""
    return int(number) if float(number).is_integer() else round(number, 2)


def instance_demand(
    instance_type: str, count: int, quota: CatalogFact[Quota], label: str
) -> QuotaDemand:
    """A demand of `count` HyperPod instances of one type."""
    known = quota.value if isinstance(quota, Known) else None
    name = ml_name(instance_type)
    reason = "" if known and known.code else getattr(quota, "reason", "no source gives it")
    return QuotaDemand(
        amount=count,
        needed_by=f"{count} × {name} {'needs' if count == 1 else 'need'}",
        label=label.format(name=name),
        service=known.service if known else "sagemaker",
        code=known.code if known else None,
        key=instance_type,
        reason=f'"{label.format(name=name)}": {reason}',
    )
