"""`--request-quotas`: plan quota increases with their reasons, and file each once."""

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
from clusterwright.preflight.facts.account import quota_arn
from clusterwright.preflight.facts.fact import Place
from clusterwright.preflight.results import CheckResult, Finding, QuotaNeed, Unanswered

LEAD_DAYS: Final = "service_quotas.increase_lead_days"
_SMALLEST_RAMP: Final = 8
"""Increases smaller than this have one stage."""

FILING_ACTIONS: Final = tuple(
    iam_action_of("service-quotas", operation)
    for operation in (
        "ListRequestedServiceQuotaChangeHistoryByQuota",
        "RequestServiceQuotaIncrease",
    )
)


def plan(result: CheckResult, context: Context, *, lead_days: float | None = None) -> RequestPlan:
    """Plan the quota increases for the findings of a check.

    Parameters
    ----------
    lead_days:
        AWS's lead time as the user states it; else the catalogue's value.
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
        why = "the spec does not set the start of the run (`run.start`)"
    elif file_by is None:
        why = f"AWS's lead time is unknown ({unknown_lead}); --lead-days sets it"
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
    """Return the plan with the requests that are already open at AWS; nothing is changed."""
    return replace(planned, requests=tuple(_looked_up(session, r) for r in planned.requests))


def file(session: AwsSession, planned: RequestPlan) -> RequestPlan:
    """File the requests that `look` did not find open, each once."""
    return replace(planned, requests=tuple(_filed(session, r) for r in planned.requests))


def stages(limit: float, desired: float) -> tuple[Stage, ...]:
    """Return the stages of an increase: a quarter, a half, all; one stage if little is missing or
    half is already available.
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
    """Return the permissions to file an increase, for `--iam-policy --request-quotas`."""

    service: str
    code: str

    @property
    def actions(self) -> tuple[str, ...]:
        return FILING_ACTIONS

    def resources(self, place: Place) -> dict[str, str]:
        return dict.fromkeys(self.actions, quota_arn(place, self.service, self.code))


def _requests(entries: Iterable[Finding | Unanswered]) -> Iterable[QuotaRequest]:
    """Return one request per quota, for the largest demand."""
    by_quota: dict[Any, list[tuple[Finding | Unanswered, QuotaNeed]]] = {}
    for entry in entries:
        if entry.quota is not None:
            key = entry.quota.code or entry.quota.name
            by_quota.setdefault((entry.quota.service, key), []).append((entry, entry.quota))
    for found in by_quota.values():
        need = max((need for _, need in found), key=lambda need: need.desired or 0)
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
        # Without the history it could be filed twice.
        return replace(request, state="refused", message=refusal.message)


def _with_open(session: AwsSession, request: QuotaRequest) -> QuotaRequest:
    need = request.need
    assert need.code is not None
    waiting = [
        r for r in quotas.increase_requests(session, need.service, need.code) if not r.decided
    ]
    if not waiting:
        return request
    first = max(waiting, key=lambda request: request.desired)
    message = None
    if need.desired is not None and first.desired < need.desired:
        message = (
            f"it requests {first.desired:,g}, less than is needed; AWS accepts one open request "
            "per quota: reply to its case, or file again after the decision"
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
            # Another client filed since `look`, or a retried request did.
            return _looked_up(session, request)
        return replace(request, state="refused", message=refusal.message)
    return replace(
        request, state="filed", request_id=made.id, case_id=made.case_id, status=made.status
    )
