"""`--request-quotas`: which increases a cluster needs and why, and filing each of them once."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from clusterwright.aws import quotas
from clusterwright.aws.errors import AwsUnavailable, iam_action_of
from clusterwright.aws.session import AwsSession
from clusterwright.catalog import Known
from clusterwright.preflight.account_results import QuotaRequest, RequestPlan, Stage, State
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts.fact import Place
from clusterwright.preflight.results import CheckResult, Finding, QuotaNeed, Unanswered

LEAD_DAYS: Final = "service_quotas.increase_lead_days"
_SMALLEST_RAMP: Final = 8
"""Fewer missing units than this are asked for in one stage."""

FILING_ACTIONS: Final = tuple(
    iam_action_of("service-quotas", operation)
    for operation in (
        "ListRequestedServiceQuotaChangeHistoryByQuota",
        "RequestServiceQuotaIncrease",
    )
)


def plan(result: CheckResult, context: Context, *, lead_days: float | None = None) -> RequestPlan:
    """What the findings of a check ask of Service Quotas.

    Parameters
    ----------
    lead_days:
        How long AWS takes, in the user's experience; the catalogue's figure without it.
    """
    run = context.cluster.run
    start = run.start if run is not None else None
    lead = context.catalog.limit(LEAD_DAYS)
    unknown_lead = None
    if lead_days is None:
        if isinstance(lead, Known):
            lead_days = lead.value
        else:
            unknown_lead = lead.reason
    file_by = None
    if start is not None and lead_days is not None:
        file_by = start - dt.timedelta(days=math.ceil(lead_days))
    why = None
    if start is None:
        why = "the spec does not say when the run begins (`run.start`)"
    elif file_by is None:
        why = f"AWS's lead time is unknown ({unknown_lead}); --lead-days states yours"
    return RequestPlan(
        environment=context.cluster.environment,
        account=context.cluster.account,
        region=context.region,
        file=context.spec.file,
        today=context.today,
        start=start,
        hours=run.hours if run is not None else None,
        lead_days=lead_days,
        file_by=file_by,
        file_by_unknown=why,
        nodes=sum(group.count for _, group in context.groups()),
        requests=tuple(_requests([*result.findings, *result.unanswered])),
        unknown=tuple(
            entry
            for entry in result.unanswered
            if entry.quota is None and entry.rule.startswith("CW-Q")
        ),
    )


def look(session: AwsSession, planned: RequestPlan) -> RequestPlan:
    """The same, with the requests that are open at AWS already; nothing is changed."""
    return replace(planned, requests=tuple(_looked_up(session, r) for r in planned.requests))


def file(session: AwsSession, planned: RequestPlan) -> RequestPlan:
    """Files what `look` found not to be open. Each is filed once: see `look`."""
    return replace(planned, requests=tuple(_filed(session, r) for r in planned.requests))


def stages(limit: float, desired: float) -> tuple[Stage, ...]:
    """From what there is to what is needed: a quarter, a half, all; one stage where little is
    missing or a half is there already.
    """
    last = Stage(desired, "the whole cluster")
    if desired - limit < _SMALLEST_RAMP or limit >= desired / 2:
        return (last,)
    steps = [
        Stage(math.ceil(desired / 4), "bring-up and acceptance tests"),
        Stage(math.ceil(desired / 2), "scaling tests"),
    ]
    return (*(step for step in steps if step.value > limit), last)


@dataclass(frozen=True)
class Filing:
    """What filing one increase takes beyond reading, for `--iam-policy --request-quotas`."""

    service: str
    code: str

    @property
    def actions(self) -> tuple[str, ...]:
        return FILING_ACTIONS

    def resources(self, place: Place) -> dict[str, str]:
        where = f"arn:{place.partition}:servicequotas:{place.region}:{place.account}"
        return dict.fromkeys(self.actions, f"{where}:{self.service}/{self.code}")


def _requests(entries: Iterable[Finding | Unanswered]) -> Iterable[QuotaRequest]:
    """One per quota, the largest of what is wanted."""
    by_quota: dict[Any, list[tuple[Finding | Unanswered, QuotaNeed]]] = {}
    for entry in entries:
        if entry.quota is not None:
            key = entry.quota.code or entry.quota.name
            by_quota.setdefault((entry.quota.service, key), []).append((entry, entry.quota))
    for found in by_quota.values():
        need = max((need for _, need in found), key=lambda one: one.desired or 0)
        state: State = "not-filed"
        if need.code is None:
            state = "no-code"
        elif need.adjustable is False:
            state = "not-adjustable"
        yield QuotaRequest(
            need=need,
            rules=tuple(dict.fromkeys(entry.rule for entry, _ in found)),
            reasons=tuple(dict.fromkeys(entry.message for entry, _ in found)),
            stages=(
                stages(need.limit or 0, need.desired)
                if need.desired is not None and state == "not-filed"
                else ()
            ),
            state=state,
        )


def _looked_up(session: AwsSession, request: QuotaRequest) -> QuotaRequest:
    if not request.can_be_filed:
        return request
    try:
        return _with_open(session, request)
    except AwsUnavailable as refusal:
        # Without the history nobody can say that it is not filed twice.
        return replace(request, state="refused", message=refusal.message)


def _with_open(session: AwsSession, request: QuotaRequest) -> QuotaRequest:
    need = request.need
    assert need.code is not None
    waiting = [
        r for r in quotas.increase_requests(session, need.service, need.code) if not r.decided
    ]
    if not waiting:
        return request
    first = max(waiting, key=lambda one: one.desired)
    message = None
    if need.desired is not None and first.desired < need.desired:
        message = (
            f"it asks for {first.desired:,g}, less than is needed; AWS takes one open request "
            "per quota: say so in its case, or file again once it is decided"
        )
    return replace(
        request,
        state="open",
        message=message,
        request_id=first.id,
        case_id=first.case_id,
        status=first.status,
        open_for=first.desired,
    )


def _filed(session: AwsSession, request: QuotaRequest) -> QuotaRequest:
    need = request.need
    if not request.can_be_filed or need.code is None or need.desired is None:
        return request
    try:
        made = quotas.request_increase(session, need.service, need.code, need.desired)
    except AwsUnavailable as refusal:
        if refusal.code == "ResourceAlreadyExistsException":
            # Somebody else filed since `look`, or a try whose answer was lost did.
            return _looked_up(session, request)
        return replace(request, state="refused", message=refusal.message)
    return replace(
        request, state="filed", request_id=made.id, case_id=made.case_id, status=made.status
    )
