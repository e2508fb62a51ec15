"""What must hold for a change to pass: each gate says of what, and what would let it through."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence

from clusterwright.cluster_spec.models.operations import Allowance
from clusterwright.cost.bill import Gate
from clusterwright.preflight.results import Severity, at_or_above
from clusterwright.review.results import (
    FindingsDelta,
    GateResult,
    NodesChange,
    Obstacle,
    ResourceChange,
)


class Allowances:
    """The spec's `allow_replacement`, and which of its entries were needed."""

    def __init__(self, entries: Sequence[Allowance], today: dt.date) -> None:
        self._entries = entries
        self._today = today
        self.used: set[str] = set()

    def of(self, name: str) -> Allowance | None:
        """The entry that allows `name` today."""
        for entry in self._entries:
            if entry.resource == name and not self._expired(entry):
                self.used.add(name)
                return entry
        return None

    def gates(self) -> Iterator[GateResult]:
        """A gate for each entry that has expired."""
        for entry in self._entries:
            if self._expired(entry):
                yield GateResult(
                    gate="allowance",
                    status="fail",
                    name=entry.resource,
                    message=f"allow_replacement of {entry.resource} expired on {entry.expires}",
                    hint="take it out of the spec, or decide anew",
                )

    def unused(self) -> list[str]:
        """Entries that this change does not need."""
        return [
            e.resource
            for e in self._entries
            if e.resource not in self.used and not self._expired(e)
        ]

    def _expired(self, entry: Allowance) -> bool:
        return entry.expires is not None and entry.expires < self._today


def replacement_gates(
    resources: Sequence[ResourceChange], allowances: Allowances
) -> Iterator[GateResult]:
    """Nothing that holds something is replaced or deleted unless the spec names it."""
    for change in resources:
        if not change.ends or change.holds is None:
            continue
        what = "replaced" if change.effect == "replace" else "deleted"
        may = "may be" if change.certainty == "possible" else "is"
        said = f"{change.name} ({change.type}) {may} {what}; {change.outcome}"
        if change.job_loss:
            said += "; its jobs die"
        allowed = allowances.of(change.name)
        if allowed is not None:
            yield GateResult(
                gate="replacement",
                status="allowed",
                name=change.name,
                message=f"{said}. Allowed: {allowed.reason}",
            )
        else:
            yield GateResult(
                gate="replacement",
                status="fail",
                name=change.name,
                message=said,
                hint=_how_to_allow(change.name),
            )


def job_gates(nodes: Sequence[NodesChange], allowances: Allowances) -> Iterator[GateResult]:
    """No group loses all its nodes at once unless the spec names it."""
    for change in nodes:
        if change.jobs != "die" or not change.whole_group:
            continue
        said = f"{change.name}: {change.message}"
        allowed = allowances.of(change.name)
        yield GateResult(
            gate="jobs",
            status="fail" if allowed is None else "allowed",
            name=change.name,
            message=said if allowed is None else f"{said}. Allowed: {allowed.reason}",
            hint=_how_to_allow(change.name) if allowed is None else None,
        )


def order_gates(obstacles: Sequence[Obstacle]) -> Iterator[GateResult]:
    """What CloudFormation or a service would refuse."""
    for obstacle in obstacles:
        yield GateResult(
            gate="order",
            status="fail",
            name=f"{obstacle.kind}: {obstacle.where}",
            message=obstacle.message,
            hint=obstacle.hint,
        )


def finding_gates(findings: FindingsDelta, fail_on: Severity) -> Iterator[GateResult]:
    """New findings at or above a severity."""
    for finding in findings.new:
        if at_or_above(finding.severity, fail_on):
            yield GateResult(
                gate="findings",
                status="fail",
                name=finding.rule,
                message=finding.message,
                hint=finding.hint,
            )


def budget_gates(limits: Sequence[Gate]) -> Iterator[GateResult]:
    """The budget's limits of the change, and how much more it may cost than before."""
    for limit in limits:
        hint = None
        if limit.status == "fail" and limit.path.endswith("max_increase_percent"):
            hint = "raise budget.max_increase_percent in the same change, or grow in steps"
        yield GateResult(
            gate="budget", status=limit.status, name=limit.path, message=limit.message, hint=hint
        )


def _how_to_allow(name: str) -> str:
    return f'if that is meant: allow_replacement: [{{resource: "{name}", reason: "..."}}]'
