"""The results of a check: types only, so that rendering imports nothing else of this package."""

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
    """An insufficient quota: what to request from Service Quotas.

    Attributes
    ----------
    code:
        None if no source states it: the quota is then found by its name.
    limit, used, desired:
        In the quota's unit; None if the code is not known. `desired` is the value to request,
        including the usage of others.
    adjustable:
        As Service Quotas reports it; None if unknown.
    region:
        Where Service Quotas has it; None for the cluster's region.
    """

    service: str
    code: str | None
    name: str
    what: str
    limit: float | None = None
    used: float | None = None
    desired: float | None = None
    adjustable: bool | None = None
    region: str | None = None


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One violation of a rule, in the shape that is documented for `--format json`.

    `where` is what the numbers refer to: a region, a zone, a quota, a resource.
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
    """Set if a quota increase is the remedy."""


@dataclass(frozen=True, kw_only=True)
class Unanswered:
    """A check that a rule could not complete: neither a pass nor a finding.

    `iam_action`, `service`, `operation`, `region` and `reason` describe the request to AWS;
    all are None if a value of the catalogue is missing.
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
    """A finding that a waiver of the spec accepts until a date."""

    finding: Finding
    reason: str
    expires: dt.date


@dataclass(frozen=True, kw_only=True)
class RuleResult:
    """The result of one rule; `tested` counts its subjects: 0 is a pass without subjects.

    Title, severity, `prevents` and `source` of a skipped rule are None: it was not imported.
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
    """The result of a whole check."""

    file: str
    environment: str
    rules: tuple[RuleResult, ...]
    findings: tuple[Finding, ...] = ()
    unanswered: tuple[Unanswered, ...] = ()
    waived: tuple[Waived, ...] = ()
    calls: int = 0
    """Requests to AWS."""

    api_calls: int = 0
    """API calls, each page counted."""

    longest_chain: int = 0
    """The longest chain of calls that depend on each other."""

    seconds: float = field(default=0.0, compare=False)

    def summary(self) -> dict[str, int]:
        """Return the number of rules by status, including every status."""
        return {status: self.count(status) for status in STATUSES}

    def count(self, status: Status) -> int:
        return sum(rule.status == status for rule in self.rules)

    @property
    def crashed(self) -> tuple[RuleResult, ...]:
        return tuple(rule for rule in self.rules if rule.crash is not None)

    def strictly(self) -> CheckResult:
        """Return the result with every unknown as a finding of severity error."""
        added = [
            Finding(
                rule=entry.rule,
                severity="error",
                path=entry.path,
                message=f"could not be checked: {entry.message}",
                position=entry.position,
                where=entry.region,
                hint=entry.hint,
                doc=entry.doc,
            )
            for entry in self.unanswered
        ]
        return replace(self, findings=in_order([*self.findings, *added]))

    def exit_code(self, *, fail_on: Severity = "error") -> int:
        """Return 70 if a rule crashed; else 1 for findings at `fail_on` or above, 2 for unknowns,
        0.
        """
        if self.crashed:
            return EXIT_BUG
        if any(at_or_above(finding.severity, fail_on) for finding in self.findings):
            return EXIT_FINDING
        return EXIT_UNANSWERED if self.unanswered else EXIT_OK


def at_or_above(severity: Severity, threshold: Severity) -> bool:
    """Return whether `severity` is at least `threshold` (error is the highest)."""
    return SEVERITIES.index(severity) <= SEVERITIES.index(threshold)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the sort key: highest severity first, then the order of the file, then the rule."""

    def key(finding: Finding) -> tuple[int, str, int, int, str]:
        position = finding.position
        file, line, column = (
            (position.file, position.line, position.column) if position else ("", 0, 0)
        )
        return SEVERITIES.index(finding.severity), file, line, column, finding.rule

    return tuple(sorted(findings, key=key))
