"""Rules as JUnit test cases, for CI systems that show test results."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from clusterwright.preflight.results import (
    CheckResult,
    Finding,
    RuleResult,
    Severity,
    Unanswered,
    at_or_above,
)


def check_junit(result: CheckResult, *, fail_on: Severity = "error") -> str:
    """One test case per rule.

    A rule with a finding at or above `fail_on` is a failure, an unknown one an error, and a
    skipped or waived one is skipped. Less severe findings pass, with their text as output.
    """
    cases = [_case(rule, result, fail_on) for rule in result.rules]
    failures = sum("<failure " in case for case in cases)
    errors = sum("<error " in case for case in cases)
    skipped = sum("<skipped " in case for case in cases)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="{errors}" skipped="{skipped}"'
    name = quoteattr(f"clusterwright check {result.environment}")
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites name="clusterwright" {counts}>\n'
        f'  <testsuite name={name} {counts} time="{result.seconds:.3f}">\n'
        + "".join(cases)
        + "  </testsuite>\n</testsuites>\n"
    )


def _case(rule: RuleResult, result: CheckResult, fail_on: Severity) -> str:
    head = (
        f"    <testcase classname={quoteattr(_clean(result.file))} "
        f"name={quoteattr(_clean(f'{rule.rule} {rule.title or str()}'.strip()))}>"
    )
    findings = [finding for finding in result.findings if finding.rule == rule.rule]
    unanswered = [entry for entry in result.unanswered if entry.rule == rule.rule]
    severe = [finding for finding in findings if at_or_above(finding.severity, fail_on)]
    inner = ""
    if rule.crash is not None:
        inner = _element("error", f"the rule crashed: {rule.crash}", "")
    elif severe:
        inner = _element("failure", severe[0].message, _lines(severe))
    elif unanswered:
        inner = _element("error", unanswered[0].message, _lines(unanswered))
    elif rule.status == "skipped":
        inner = _element("skipped", rule.skipped_because or "", "")
    elif rule.status == "waived":
        reasons = [w.reason for w in result.waived if w.finding.rule == rule.rule]
        inner = _element("skipped", f"waived: {'; '.join(reasons)}", "")
    minor = [finding for finding in findings if finding not in severe]
    if minor:
        text = escape(_clean(_lines(minor)))
        inner += f"      <system-out>{text}</system-out>\n"
    return f"{head}\n{inner}    </testcase>\n" if inner else f"{head[:-1]}/>\n"


def _element(name: str, message: str, text: str) -> str:
    body = escape(_clean(text))
    return f"      <{name} message={quoteattr(_clean(message))}>{body}</{name}>\n"


def _lines(entries: Sequence[Finding | Unanswered]) -> str:
    lines = []
    for entry in entries:
        place = f"{entry.position.file}:{entry.position.line}: " if entry.position else ""
        lines.append(f"{place}{entry.severity}[{entry.rule}]: {entry.message}")
        if entry.hint:
            lines.append(f"hint: {entry.hint}")
    return "\n".join(lines)


def _clean(text: str) -> str:
    """Text without the control characters that XML 1.0 cannot hold."""
    return "".join(c if c in "\t\n\r" or c >= " " else "\N{REPLACEMENT CHARACTER}" for c in text)
