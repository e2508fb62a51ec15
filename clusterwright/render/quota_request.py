"""The text of quota requests, for a support case and for readers."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from clusterwright.preflight.account_results import QuotaRequest, RequestPlan

_STATES = {
    "filed": "filed",
    "open": "already open, not filed again",
    "not-filed": "not filed",
    "not-adjustable": "not adjustable: AWS does not increase it on request",
    "no-code": "no code is known: find it by its name in the Service Quotas console",
    "refused": "refused",
}


def request_text(plan: RequestPlan) -> str:
    """Markdown with every request: value, reason, stages, dates and state."""
    lines = [f"# Quota requests for {plan.environment}", ""]
    lines += [f"Account {plan.account}, {plan.region}, from `{plan.file}`, {plan.today}.", ""]
    if not plan.requests:
        lines += ["No quota increase is needed, as far as is known.", ""]
    else:
        lines += [*_purpose(plan), "", *_dates(plan), ""]
        if plan.account_team:
            lines += [
                f"**{plan.nodes:,} nodes: contact your AWS account team before you file.** "
                "Requests of this size are decided together with the capacity; send them this "
                "text.",
                "",
            ]
        for number, request in enumerate(plan.requests, start=1):
            lines += [*_request(number, request, plan), ""]
    if plan.unknown:
        lines += [
            "## Unknown",
            "",
            "The results of these rules are unknown, so that more requests may be needed:",
        ]
        lines += ["", *(f"- {entry.rule}: {entry.message}" for entry in plan.unknown), ""]
    return "\n".join(lines)


def states_text(plan: RequestPlan) -> str:
    """One line per request with its state."""
    return "".join(f"{_named(r)}{_elsewhere(r, plan)}: {_state(r)}\n" for r in plan.requests)


def _purpose(plan: RequestPlan) -> list[str]:
    when = f" from {plan.start}" if plan.start else ""
    long = f" for {plan.hours:,g} hours" if plan.hours else ""
    return [
        f"The cluster `{plan.environment}` trains a model{long}{when} on {plan.nodes:,} nodes. "
        "It needs more than the applied quotas:"
    ]


def _dates(plan: RequestPlan) -> list[str]:
    if plan.file_by is None:
        return [f"Latest date to file: unknown, because {plan.file_by_unknown}."]
    late = " That day has passed." if plan.file_by < plan.today else ""
    return [
        f"Latest date to file: **{plan.file_by}**, {plan.lead_days:g} days before the run begins "
        f"on {plan.start}.{late}"
    ]


def _request(number: int, request: QuotaRequest, plan: RequestPlan) -> Iterator[str]:
    need = request.need
    code = f", {need.code}" if need.code else ""
    yield f"## {number}. {need.name} ({need.service}{code}){_elsewhere(request, plan)}"
    yield ""
    if need.desired is not None and need.limit is not None:
        used = f", of which others use {_amount(need.used)}" if need.used else ""
        yield f"- requested: **{_amount(need.desired)}**; applied: {_amount(need.limit)}{used}"
    for reason in request.reasons:
        yield f"- reason: {reason} ({', '.join(request.rules)})"
    if len(request.stages) > 1:
        steps = ", then ".join(f"{_amount(s.value)} ({s.purpose})" for s in request.stages)
        yield f"- staged ramp: {steps}{_by(plan.start)}"
    yield f"- state: {_state(request)}"


def _by(start: dt.date | None) -> str:
    return f" by {start}" if start else ""


def _state(request: QuotaRequest) -> str:
    parts = [_STATES[request.state]]
    if request.request_id:
        parts.append(f"request {request.request_id}")
    if request.state in ("filed", "open"):
        parts.append(f"case {request.case_id}" if request.case_id else "no case yet")
    if request.status:
        parts.append(request.status)
    if request.open_for is not None:
        parts.append(f"for {_amount(request.open_for)}")
    if request.message:
        parts.append(request.message)
    return ", ".join(parts)


def _named(request: QuotaRequest) -> str:
    need = request.need
    return f"{need.service} {need.code or need.name}"


def _elsewhere(request: QuotaRequest, plan: RequestPlan) -> str:
    """The region of a quota that is not in the plan's, such as IAM's."""
    region = request.need.region
    return f" in {region}" if region not in (None, plan.region) else ""


def _amount(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,g}" if value < 1e6 else f"{value:,.0f}"
