"""What every quota rule shares: what is requested, what others use, what is left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from clusterwright.catalog import Fact as CatalogFact
from clusterwright.catalog import Known, Quota
from clusterwright.platforms.hyperpod.instance_groups import ml_name
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.account import AppliedQuota
from clusterwright.preflight.facts.fact import Fact, FactValues
from clusterwright.preflight.results import QuotaNeed, Severity
from clusterwright.preflight.rule import Fail, Rule, Subject, Unsure, Verdict

REQUEST_TIME = "allow days to weeks"


@dataclass(frozen=True)
class Want:
    """What a cluster asks of one quota.

    Attributes
    ----------
    amount:
        In the unit of the quota.
    what:
        What needs it, as the subject of a sentence: `64 × ml.p5.48xlarge need`.
    label:
        The quota in a reader's words.
    code:
        None where the catalogue does not know the code; `reason` then says so.
    key:
        What `uses` needs to find the present use: an instance type, a deployment type.
    """

    amount: float
    what: str
    label: str
    service: str
    code: str | None
    key: str = ""
    unit: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Use:
    """Something that uses a quota now, in the quota's unit; `ours` if it is this cluster's."""

    amount: float
    ours: bool


class QuotaRule(Rule[Want]):
    """Requested against applied quota less what others use."""

    severity: ClassVar[Severity] = "error"
    usage_facts: ClassVar[tuple[Fact[Any], ...]] = ()
    """Facts that `uses` looks at; none for a limit that applies to each thing by itself."""

    def uses(self, want: Want, context: Context, facts: FactValues) -> Iterable[Use]:
        """What uses the quota now; nothing for a limit that applies to each thing by itself."""
        del want, context, facts
        return ()

    def needs(self, subject: Subject[Want], context: Context) -> Iterable[Fact[Any]]:
        del context
        want = subject.value
        return (AppliedQuota(want.service, want.code), *self.usage_facts) if want.code else ()

    def check(
        self, subject: Subject[Want], context: Context, facts: FactValues
    ) -> Iterator[Verdict]:
        want = subject.value
        if want.code is None:
            yield Unsure(
                message=f"{want.what} a quota whose code is not known: {want.reason}",
                hint=f"look up the quota in {context.region} under Service Quotas, {want.service}",
                quota=QuotaNeed(service=want.service, code=None, name=want.label, what=want.what),
            )
            return
        quota = facts[AppliedQuota(want.service, want.code)]
        limit = quota.value
        uses = list(self.uses(want, context, facts))
        # An update keeps what the cluster already has, so only what others use is in its way.
        used = sum(use.amount for use in uses if not use.ours)
        if quota.measured_use is not None and (uses or self.usage_facts):
            own = sum(use.amount for use in uses if use.ours)
            used = max(used, quota.measured_use - own)
        if want.amount <= limit - used:
            return
        free = max(0, limit - used)
        unit = f" {want.unit}" if want.unit else ""
        verb = "is" if free == 1 and not want.unit else "are"
        wanted = whole(used + want.amount)
        yield Fail(
            message=f'{want.what} {whole(want.amount):,}{unit} of "{want.label}", '
            f"{whole(free):,}{unit} {verb} free in {context.region}",
            requested=whole(want.amount),
            used=whole(used),
            limit=whole(limit),
            where=f"{want.service}/{want.code} in {context.region}",
            quota_code=want.code,
            hint=f"request {wanted}: `clusterwright check {context.spec.file} --request-quotas`; "
            f"{REQUEST_TIME}"
            if quota.adjustable is not False
            else "AWS does not raise this quota on request: ask for less, or in another region",
            quota=QuotaNeed(
                service=want.service,
                code=want.code,
                name=want.label,
                what=want.what,
                limit=limit,
                used=used,
                desired=float(wanted),
                adjustable=quota.adjustable,
            ),
        )


def whole(number: float) -> int | float:
    """The same number, an int where it is one."""
    return int(number) if float(number).is_integer() else number


def type_want(
    instance_type: str, count: int, quota: CatalogFact[Quota], label: str, *, hyperpod: bool = True
) -> Want:
    """A want of `count` instances of one type."""
    known = quota.value if isinstance(quota, Known) else None
    name = ml_name(instance_type) if hyperpod else instance_type
    reason = "" if known and known.code else getattr(quota, "reason", "no source gives it")
    return Want(
        amount=count,
        what=f"{count} × {name} {'needs' if count == 1 else 'need'}",
        label=label.format(name=name),
        service=known.service if known else "sagemaker",
        code=known.code if known else None,
        key=instance_type,
        reason=f'"{label.format(name=name)}": {reason}',
    )
