"""The report of `clusterwright accept` as text and as JUnit test cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from clusterwright.operate.acceptance_results import AcceptReport
from clusterwright.render.operating import unknown_lines
from clusterwright.render.source import printable
from clusterwright.render.style import PLAIN, Style
from clusterwright.render.table import columns, counted

_COLOURS = {"accepted": "pass", "rejected": "error", "unknown": "unknown"}
_STATUS = {
    "planned": "not started (--dry-run)",
    "refused": "not started",
    "running": "has not ended",
    "ended": "ended",
    "failed": "failed",
    "unknown": "its result is unknown",
}


def accept_text(report: AcceptReport, style: Style = PLAIN) -> str:
    """The verdicts first, then suspects, tests of several nodes, and the planned cost."""
    run = f", run {report.run}" if report.run else ""
    title = (
        f"{report.environment}: acceptance, level {report.level}{run}: {_STATUS[report.status]}"
    )
    lines = [style.paint("bold", title), ""]
    found = list(unknown_lines(report.unknown, style))
    lines += [*found, ""] if found else []
    lines += _nodes(report, style)
    if report.suspects:
        lines += ["", style.paint("bold", "Suspects")]
        lines += [
            f"  {one.kind} {printable(', '.join(one.names))}: {printable(one.evidence)}"
            for one in report.suspects
        ]
    checks = _cluster_checks(report)
    if checks:
        lines += ["", style.paint("bold", "Several nodes"), *checks]
    if report.plan:
        lines += ["", style.paint("bold", "Planned"), *_plan(report)]
    return "\n".join(lines).replace("\n\n\n", "\n\n").rstrip() + "\n"


def plan_sentences(report: AcceptReport, means: str) -> list[str]:
    """What a run that is about to start does, takes and costs."""
    level, nodes = report.level, sum(group.nodes for group in report.plan)
    if not report.plan:
        return [
            f"Tests nodes at level {level} with {means}; running jobs are not interrupted.",
            "Planned: node-minutes and cost are unknown, because the groups of the nodes are.",
        ]
    unpriced = [group for group in report.plan if group.cost_usd is None]
    if report.cost_usd is not None:
        cost = f"{report.cost_usd:,.2f} USD"
    else:
        reasons = "; ".join(f"{group.group}: {group.unpriced}" for group in unpriced)
        cost = printable(f"cost unknown ({reasons})")
    return [
        f"Tests {counted(nodes, 'node')} at level {level} with {means}; running jobs are not "
        "interrupted.",
        f"Planned: {report.node_minutes:,.1f} node-minutes, {cost}.",
    ]


def accept_junit(report: AcceptReport) -> str:
    """One test suite per node, one test case per check; one per suspect in that of the cluster.

    A failed or hung check is a failure, an unknown one an error; skipped, waived and those whose
    figure is the first baseline are skipped.
    """
    suites = "".join(
        _suite(node.name, [(check.id, check.verdict, check.reason) for check in node.checks])
        if node.checks
        else _suite(node.name, [("tested", _untested(node.verdict), node.reason)])
        for node in report.nodes
    )
    rows: list[tuple[str, str, str]] = []
    for check in report.cluster_checks:
        what = check.mount_path or (f"{check.size_mib:g} MiB" if check.size_mib else "")
        verdict = "baseline" if check.is_baseline else check.verdict
        rows.append((f"{check.id} {what}".strip(), verdict, check.reason))
    rows += [
        (f"suspect {one.kind} {', '.join(one.names)}", "fail", one.evidence)
        for one in report.suspects
    ]
    rows += [(part.what, "unknown", part.reason) for part in report.unknown]
    if rows:
        suites += _suite(report.environment, rows)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<testsuites name={quoteattr(f'clusterwright accept {report.environment}')}>\n"
        f"{suites}</testsuites>\n"
    )


def _nodes(report: AcceptReport, style: Style) -> Iterator[str]:
    if not report.nodes:
        return
    counts = Counter(node.verdict for node in report.nodes)
    yield ", ".join(
        style.paint(_COLOURS[verdict], f"{counts[verdict]:,} {verdict}")
        for verdict in ("accepted", "rejected", "unknown")
        if counts[verdict]
    )
    rows = [
        (node.name, node.verdict, node.action, printable(node.reason))
        for node in report.nodes
        if node.verdict != "accepted"
    ]
    if rows:
        table = columns([("node", "verdict", "action", "reason"), *rows], ["left"] * 4)
        yield from (f"  {line}" for line in table)


def _cluster_checks(report: AcceptReport) -> list[str]:
    rows = []
    for check in report.cluster_checks:
        what = check.mount_path or (f"{check.size_mib:g} MiB" if check.size_mib else "")
        value = "–" if check.value is None else f"{check.value:.4g} {check.unit or ''}".strip()
        floor = "unknown" if check.floor is None else f"{check.floor:.4g}"
        rows.append(
            (
                check.id,
                what,
                counted(check.nodes, "node"),
                check.verdict,
                value,
                floor,
                printable(check.reason or check.source or ""),
            )
        )
    header = ("test", "of", "nodes", "verdict", "value", "floor", "reason or source")
    table = columns([header, *rows], ["left"] * 7) if rows else []
    return [f"  {line}" for line in table]


def _plan(report: AcceptReport) -> list[str]:
    rows = [
        (
            group.group,
            group.instance_type,
            counted(group.nodes, "node"),
            f"{group.seconds / 60:.1f} min",
            printable(f"price unknown: {group.unpriced}")
            if group.cost_usd is None
            else f"{group.cost_usd:,.2f} USD",
        )
        for group in report.plan
    ]
    total = report.cost_usd
    if total is not None and len(rows) > 1:
        rows.append(("total", "", "", "", f"{total:,.2f} USD"))
    table = columns(
        [("group", "type", "nodes", "duration", "cost"), *rows],
        ["left", "left", "right", "right", "left"],
    )
    return [f"  {line}" for line in table]


def _untested(verdict: str) -> str:
    return "fail" if verdict == "rejected" else "unknown"


def _suite(name: str, rows: Sequence[tuple[str, str, str]]) -> str:
    cases = [_case(name, *row) for row in rows]
    failures = sum("<failure " in case for case in cases)
    errors = sum("<error " in case for case in cases)
    skipped = sum("<skipped " in case for case in cases)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="{errors}" skipped="{skipped}"'
    head = f"  <testsuite name={quoteattr(printable(name))} {counts}>\n"
    return head + "".join(cases) + "  </testsuite>\n"


def _case(node: str, check: str, verdict: str, reason: str) -> str:
    head = (
        f"    <testcase classname={quoteattr(printable(node))} name={quoteattr(printable(check))}"
    )
    kinds = {"fail": "failure", "hung": "failure", "unknown": "error"}
    if verdict == "pass":
        return f"{head}/>\n"
    kind = kinds.get(verdict, "skipped")
    message = quoteattr(printable(reason))
    return (
        f"{head}>\n      <{kind} message={message}>{escape(verdict)}</{kind}>\n    </testcase>\n"
    )
