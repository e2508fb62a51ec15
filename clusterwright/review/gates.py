"""Gates of a review: the conditions for a change to pass."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from clusterwright.cluster_spec.models.operations import Allowance
from clusterwright.cost.bill import Gate
from clusterwright.preflight.results import Severity, at_or_above
from clusterwright.review.results import (
    DeploymentBlocker,
    FindingsDelta,
    GateResult,
    NodesChange,
    ResourceChange,
    SpecChange,
)

PROTECTION: Final = "protection"
"""The spec's key, and its name in `allow_replacement`."""


class Allowances:
    """The entries of `allow_replacement` in the spec, and which of them were used."""

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
        """A failed gate for each expired entry."""
        for entry in self._entries:
            if self._expired(entry):
                yield GateResult(
                    gate="allowance",
                    status="fail",
                    name=entry.resource,
                    message=f"allow_replacement of {entry.resource} expired on {entry.expires}",
                    hint="remove it from the spec, or set a new date",
                )

    def unused(self) -> list[str]:
        """Entries that the change does not need."""
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
    """Gates for resources that hold data or jobs and are replaced or deleted."""
    for change in resources:
        if not change.ends or change.holds is None:
            continue
        what = "replaced" if change.effect == "replace" else "deleted"
        may = "may be" if change.certainty == "possible" else "is"
        said = f"{change.name} ({change.type}) {may} {what}; {change.outcome}"
        if change.job_loss:
            said += "; its jobs end"
        yield _allowable("replacement", change.name, said, allowances)


def job_gates(
    nodes: Sequence[NodesChange], resources: Sequence[ResourceChange], allowances: Allowances
) -> Iterator[GateResult]:
    """Gates for groups that lose all their nodes at once, and for resources whose jobs end.

    A group that ends with a resource which has a gate of its own has no second one, and neither
    has a resource whose jobs end with the nodes of a group.
    """
    ending = {r.name for r in resources if r.ends and r.holds is not None}
    for change in nodes:
        if change.jobs != "die" or not change.whole_group or change.resource in ending:
            continue
        yield _allowable("jobs", change.name, f"{change.name}: {change.message}", allowances)
    covered = ending | {change.resource for change in nodes if change.jobs == "die"}
    for resource in resources:
        if resource.job_loss and resource.name not in covered:
            said = f"{resource.name} ({resource.type}): {'; '.join(resource.reasons)}"
            yield _allowable("jobs", resource.name, said, allowances)


def protection_gates(
    resources: Sequence[ResourceChange], changes: Sequence[SpecChange], allowances: Allowances
) -> Iterator[GateResult]:
    """Gates for data that deleting a stack kept before the change and deletes afterwards.

    Where the spec's `protection` changes there is one gate, which `allow_replacement` of
    `protection` opens; else one for each resource.
    """
    lost = [change for change in resources if change.protection_loss]
    in_spec = any(c.path == PROTECTION and c.after == "destroy" and c.before for c in changes)
    if in_spec:
        what = ", ".join(f"{change.name} ({change.holds})" for change in lost)
        said = "protection: retain becomes destroy: deleting a stack then deletes its data" + (
            f": {what}" if what else ""
        )
        yield _allowable("protection", PROTECTION, said, allowances)
        return
    for change in lost:
        said = f"{change.name} ({change.type}) loses its protection; {change.outcome}"
        yield _allowable("protection", change.name, said, allowances)


def _allowable(
    kind: Literal["replacement", "jobs", "protection"],
    name: str,
    said: str,
    allowances: Allowances,
) -> GateResult:
    """A gate that an entry of `allow_replacement` with its name opens."""
    allowed = allowances.of(name)
    return GateResult(
        gate=kind,
        status="fail" if allowed is None else "allowed",
        name=name,
        message=said if allowed is None else f"{said}. Allowed: {allowed.reason}",
        hint=_how_to_allow(name) if allowed is None else None,
    )


def order_gates(blockers: Sequence[DeploymentBlocker]) -> Iterator[GateResult]:
    """Gates for what CloudFormation or a service would refuse."""
    for blocker in blockers:
        yield GateResult(
            gate="order",
            status="fail",
            name=f"{blocker.kind}: {blocker.where}",
            message=blocker.message,
            hint=blocker.hint,
        )


def finding_gates(findings: FindingsDelta, fail_on: Severity) -> Iterator[GateResult]:
    """Gates for new findings at or above a severity."""
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
    """Gates for the budgets and the maximum increase of the cost."""
    for limit in limits:
        hint = None
        if limit.status == "fail" and limit.path.endswith("max_increase_percent"):
            hint = "raise budget.max_increase_percent in the same change, or split the change"
        yield GateResult(
            gate="budget", status=limit.status, name=limit.path, message=limit.message, hint=hint
        )


def _how_to_allow(name: str) -> str:
    return f'if this is intended: allow_replacement: [{{resource: "{name}", reason: "..."}}]'
