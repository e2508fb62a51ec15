"""What a check found: result types only, so that rendering needs nothing else of this room."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final, Literal, get_args

from clusterwright.cluster_spec.problems import Position

Severity = Literal["error", "warning", "info"]
SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)

Status = Literal["pass", "fail", "unknown", "skipped", "waived"]
STATUSES: Final[tuple[Status, ...]] = get_args(Status)

Amount = int | float | str | None

EXIT_OK: Final = 0
EXIT_FINDING: Final = 1
EXIT_UNANSWERED: Final = 2
EXIT_BUG: Final = 70


@dataclass(frozen=True, kw_only=True)
class QuotaNeed:
    """What must be asked of Service Quotas before a cluster fits.

    Attributes
    ----------
    code:
        None where no source gives it: the quota is then found by its name.
    limit, used, desired:
        In the quota's own unit; None where the code is not known. `desired` is the value to ask
        for, what others use included.
    adjustable:
        What Service Quotas says; None where it was not asked or does not say.
    """

    service: str
    code: str | None
    name: str
    what: str
    limit: float | None = None
    used: float | None = None
    desired: float | None = None
    adjustable: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that is wrong, in the shape of the contract (design.md, section 6).

    `where` names the place that the numbers belong to: a region, a zone, a quota, a resource.
    """

    rule: str
    severity: Severity
    path: str
    message: str
    position: Position | None = None
    requested: Amount = None
    used: Amount = None
    limit: Amount = None
    where: str | None = None
    quota_code: str | None = None
    hint: str | None = None
    doc: str | None = None
    quota: QuotaNeed | None = None
    """Where more of a quota is the remedy."""


@dataclass(frozen=True, kw_only=True)
class Unanswered:
    """One question that a rule could not answer: neither a pass nor a finding.

    `iam_action`, `service`, `operation`, `region` and `reason` say what was wanted of AWS, where
    AWS was asked; all are None where a fact of the catalogue is missing.
    """

    rule: str
    severity: Severity
    path: str
    message: str
    position: Position | None = None
    hint: str | None = None
    doc: str | None = None
    service: str | None = None
    operation: str | None = None
    iam_action: str | None = None
    region: str | None = None
    reason: str | None = None
    quota: QuotaNeed | None = None


@dataclass(frozen=True, kw_only=True)
class Waived:
    """A finding that a waiver of the spec accepts until a day."""

    finding: Finding
    reason: str
    expires: dt.date


@dataclass(frozen=True, kw_only=True)
class RuleResult:
    """What became of one rule; `tested` counts its subjects: 0 is a pass with nothing to test.

    Title, severity, `prevents` and `source` of a skipped rule are None: it was not looked at.
    """

    rule: str
    title: str | None = None
    severity: Severity | None = None
    account: bool
    status: Status
    tested: int = 0
    skipped_because: str | None = None
    crash: str | None = None
    prevents: str | None = None
    source: str | None = None


@dataclass(frozen=True)
class CheckResult:
    """The outcome of a whole check."""

    file: str
    environment: str
    rules: tuple[RuleResult, ...]
    findings: tuple[Finding, ...] = ()
    unanswered: tuple[Unanswered, ...] = ()
    waived: tuple[Waived, ...] = ()
    calls: int = 0
    """Questions put to AWS."""

    api_calls: int = 0
    """Calls that they took, each page counted."""

    longest_chain: int = 0
    """The most calls that had to wait for one another."""

    seconds: float = field(default=0.0, compare=False)

    def summary(self) -> dict[str, int]:
        """Rules by status, every status named."""
        return {status: self.count(status) for status in STATUSES}

    def count(self, status: Status) -> int:
        return sum(rule.status == status for rule in self.rules)

    @property
    def crashed(self) -> tuple[RuleResult, ...]:
        return tuple(rule for rule in self.rules if rule.crash is not None)

    def strictly(self) -> CheckResult:
        """The same, where what could not be answered is a finding too, of the gravest kind."""
        added = [
            Finding(
                rule=entry.rule,
                severity="error",
                path=entry.path,
                message=f"could not be answered: {entry.message}",
                position=entry.position,
                where=entry.region,
                hint=entry.hint,
                doc=entry.doc,
            )
            for entry in self.unanswered
        ]
        return replace(self, findings=in_order([*self.findings, *added]))

    def exit_code(self, *, fail_on: Severity = "error") -> int:
        """70 if a rule crashed; else 1, 2 or 0 as the contract says (design.md, section 5)."""
        if self.crashed:
            return EXIT_BUG
        if any(at_or_above(finding.severity, fail_on) for finding in self.findings):
            return EXIT_FINDING
        return EXIT_UNANSWERED if self.unanswered else EXIT_OK


def at_or_above(severity: Severity, threshold: Severity) -> bool:
    """Whether `severity` is at least as grave as `threshold` (error is the gravest)."""
    return SEVERITIES.index(severity) <= SEVERITIES.index(threshold)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Gravest first, then in the order of the file, then by rule."""

    def key(finding: Finding) -> tuple[int, str, int, int, str]:
        place = finding.position
        file, line, column = (place.file, place.line, place.column) if place else ("", 0, 0)
        return SEVERITIES.index(finding.severity), file, line, column, finding.rule

    return tuple(sorted(findings, key=key))
