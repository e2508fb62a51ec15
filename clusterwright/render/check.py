"""The result of a check as text or Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import PurePath

from clusterwright.cluster_spec.problems import Position
from clusterwright.preflight.results import (
    SEVERITIES,
    STATUSES,
    Amount,
    CheckResult,
    Finding,
    Unanswered,
    Waived,
)
from clusterwright.render.markdown import code
from clusterwright.render.source import excerpt, printable
from clusterwright.render.style import PLAIN, Style
from clusterwright.render.table import markdown_cell

MAXIMUM_MARKDOWN_CHARACTERS = 65_000
"""GitHub and GitLab truncate a comment at 65,535."""


def check_text(result: CheckResult, style: Style = PLAIN, *, following: str = "") -> str:
    """Every finding with its position, then unknown and waived ones, then one line of counts.

    `following` is the last line: what to do next (`next_step`).
    """
    blocks = [_finding_text(finding, style) for finding in result.findings]
    blocks += _unanswered_text(result.unanswered, style)
    blocks += [_waived_text(waived, style) for waived in result.waived]
    blocks += [
        f"{style.paint('error', f'bug[{rule.rule}]:')} the rule crashed: {rule.crash}\n"
        for rule in result.crashed
    ]
    blocks.append(_summary_text(result, style) + (f"next: {following}\n" if following else ""))
    return "\n".join(blocks)


def next_step(result: CheckResult, file: str, *, offline: bool) -> str:
    """What to do after the check of `file`: the first of its problems, or the next command."""
    if any(rule.crash for rule in result.rules):
        return "report the internal error; the other rules are not affected"
    if any(finding.severity == "error" for finding in result.findings):
        return "correct the errors, or accept a finding with an entry in `waivers`; check again"
    if any(entry.reason == "no-credentials" for entry in result.unanswered):
        return "sign in to AWS and check again, or check the file alone with `--offline`"
    if offline:
        return f"`clusterwright check {file}` with credentials also checks the account"
    if result.unanswered:
        return "answer what is unknown, by its hint, or accept the risk; then deploy"
    path = PurePath(file)
    named = f"env={path.stem}" if path.parent.name == "configs" else f"config={file}"
    return f"`clusterwright cost {file}`, then `cdk deploy -c {named} --all`"


def check_markdown(result: CheckResult, exit_code: int) -> str:
    """A short verdict, then the findings, then the rest folded."""
    summary = result.summary()
    counts = ", ".join(
        _severities(result.findings) if status == "fail" else f"{summary[status]} {status}"
        for status in STATUSES
    )
    verdict = {0: "pass", 1: "fail", 2: "something is unknown"}.get(exit_code, "internal error")
    lines = [f"### Check of {markdown_cell(result.environment)}: **{verdict}**", "", counts, ""]
    lines += [line for finding in result.findings for line in _finding_markdown(finding)]
    if result.unanswered:
        lines += ["", "<details><summary>Unknown</summary>", ""]
        lines += [
            f"- **{unanswered.rule}** {markdown_cell(unanswered.message)}"
            + (f" ({markdown_cell(unanswered.hint)})" if unanswered.hint else "")
            for unanswered in result.unanswered
        ]
        lines += ["", "</details>"]
    if result.waived:
        lines += ["", "<details><summary>Waived</summary>", ""]
        lines += [
            f"- **{waived.finding.rule}** {markdown_cell(waived.finding.message)}: "
            f"{markdown_cell(waived.reason)}, until {waived.expires}"
            for waived in result.waived
        ]
        lines += ["", "</details>"]
    return _cut("\n".join(lines).rstrip() + "\n")


def _finding_text(finding: Finding, style: Style) -> str:
    head = style.paint(finding.severity, f"{finding.severity}[{finding.rule}]:")
    lines = [f"{head} {printable(finding.message)}"]
    lines += _where(finding.position, finding.path, style, finding.severity)
    numbers = _numbers(finding)
    if numbers:
        lines.append(f"  {numbers}")
    if finding.hint:
        lines += ["", f"{style.paint('hint', 'hint:')} {printable(finding.hint)}"]
    return "\n".join(lines) + "\n"


def _numbers(finding: Finding) -> str:
    parts = [
        f"{name} {_amount(value)}"
        for name, value in (
            ("requested", finding.requested),
            ("used", finding.used),
            ("limit", finding.limit),
        )
        if value is not None
    ]
    where = finding.quota_code or finding.where
    if where:
        parts.append(where)
    return printable(" · ".join(parts))


def _amount(value: Amount) -> str:
    return f"{value:,}" if isinstance(value, (int, float)) else str(value)


def _unanswered_text(unanswered: Sequence[Unanswered], style: Style) -> list[str]:
    """Failed AWS calls with the same cause are listed once, with the rules that need them."""
    blocks = []
    for entry in unanswered:
        if entry.reason is None:
            blocks.append(_one_unanswered(entry, style))
    causes: dict[tuple[str | None, ...], list[Unanswered]] = {}
    for entry in unanswered:
        if entry.reason is not None:
            # Without credentials every call fails for the same reason.
            key: tuple[str | None, ...] = (entry.reason, entry.hint)
            if entry.reason != "no-credentials":
                key = (*key, entry.service, entry.operation, entry.region)
            causes.setdefault(key, []).append(entry)
    for entries in causes.values():
        first = entries[0]
        rules = list(dict.fromkeys(entry.rule for entry in entries))
        # The cause comes first: it may affect dozens of rules.
        many = len(rules) > 1 or first.reason == "no-credentials"
        head = style.paint("unknown", "unknown:" if many else f"unknown[{', '.join(rules)}]:")
        message = first.message.partition(": ")[2] if many else first.message
        lines = [f"{head} {printable(message)}"]
        if first.hint:
            lines += ["", f"{style.paint('hint', 'hint:')} {printable(first.hint)}"]
        if many:
            lines += ["", *textwrap.wrap(f"{_rules(len(rules))}: {', '.join(rules)}", 99)]
        blocks.append("\n".join(lines) + "\n")
    return blocks


def _rules(count: int) -> str:
    return f"{count} rule{'s' if count != 1 else ''}"


def _one_unanswered(entry: Unanswered, style: Style) -> str:
    head = style.paint("unknown", f"unknown[{entry.rule}]:")
    lines = [f"{head} {printable(entry.message)}"]
    lines += _where(entry.position, entry.path, style, "unknown")
    if entry.hint:
        lines += ["", f"{style.paint('hint', 'hint:')} {printable(entry.hint)}"]
    return "\n".join(lines) + "\n"


def _waived_text(waived: Waived, style: Style) -> str:
    finding = waived.finding
    head = style.paint("dim", f"waived[{finding.rule}]:")
    return (
        f"{head} {printable(finding.message)}\n"
        f"  {printable(waived.reason)} (until {waived.expires})\n"
    )


def _summary_text(result: CheckResult, style: Style) -> str:
    summary = result.summary()
    parts = []
    for status in STATUSES:
        # A rule that fails may only have a warning: errors and warnings are counted instead.
        failed = status == "fail"
        text = _severities(result.findings) if failed else f"{summary[status]} {status}"
        if summary[status] and status in _MEANING:
            text = style.paint(_MEANING[status], text)
        parts.append(text)
    empty = sum(rule.status == "pass" and not rule.tested for rule in result.rules)
    also = [f"{empty} passed with nothing to check"] if empty else []
    if result.rules and summary["skipped"] == len(result.rules):
        also.append(_nothing(result))
    if result.calls:
        also.append(f"{result.calls} facts read from AWS")
    more = f" ({', '.join(also)})" if also else ""
    return f"{', '.join(parts)}{more}\n"


def _nothing(result: CheckResult) -> str:
    """That no rule ran, with the reasons of those that the command line does not leave out."""
    reasons = dict.fromkeys(rule.skipped_because for rule in result.rules)
    shown = [reason for reason in reasons if reason not in (None, "not in --only", "--skip")]
    return ": ".join(["nothing was checked", *([", ".join(map(str, shown))] if shown else [])])


def _severities(findings: Sequence[Finding]) -> str:
    """Number of findings by severity: `0 errors, 2 warnings`."""
    counts = []
    for severity in SEVERITIES:
        count = sum(finding.severity == severity for finding in findings)
        if count or severity == "error":
            plural = "s" if count != 1 and severity != "info" else ""
            counts.append(f"{count} {severity}{plural}")
    return ", ".join(counts)


_MEANING = {"pass": "pass", "fail": "error", "unknown": "unknown"}


def _where(position: Position | None, path: str, style: Style, meaning: str) -> list[str]:
    if position is None:
        return [f"  {printable(path)}"] if path else []
    return excerpt(position, style, meaning=meaning)


def _finding_markdown(finding: Finding) -> list[str]:
    place = ""
    if finding.position is not None:
        place = " " + code(f"{finding.position.file}:{finding.position.line}")
    head = f"- **{finding.severity} {finding.rule}**{place} {markdown_cell(finding.message)}"
    numbers = _numbers(finding)
    lines = [head]
    if numbers:
        lines.append(f"  <br>{markdown_cell(numbers)}")
    if finding.hint:
        lines.append(f"  <br>hint: {markdown_cell(finding.hint)}")
    return lines


def _cut(text: str) -> str:
    if len(text) <= MAXIMUM_MARKDOWN_CHARACTERS:
        return text
    end = text.rfind("\n", 0, MAXIMUM_MARKDOWN_CHARACTERS - 200)
    kept = text[:end]
    closing = "\n\n</details>" * (kept.count("<details>") - kept.count("</details>"))
    return f"{kept}{closing}\n\nThe rest is left out: run `clusterwright check` to see it.\n"
