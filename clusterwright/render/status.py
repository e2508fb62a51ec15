"""The report of `clusterwright status` as text."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.operate.results import HourlyCost, NodeStatus, StatusReport
from clusterwright.render.operating import (
    finding_lines,
    number_text,
    time_text,
    unknown_lines,
)
from clusterwright.render.source import printable
from clusterwright.render.style import PLAIN, Style
from clusterwright.render.table import columns, counted


def status_text(report: StatusReport, style: Style = PLAIN) -> str:
    """Findings first, then the cluster, groups, nodes, jobs, capacity and cost."""
    lines = [
        style.paint(
            "bold",
            f"{report.environment}: {report.platform}, account {report.account}, {report.region}, "
            f"{time_text(report.read_at)} UTC",
        ),
        "",
    ]
    found = [
        *finding_lines(report.findings, style),
        *unknown_lines(report.unknown, style),
    ]
    lines += [*found, ""] if found else []
    lines += _facts(report)
    for title, rows in (
        ("Groups", _groups(report)),
        ("Nodes", _nodes(report)),
        ("Capacity", _capacity(report)),
    ):
        if len(rows) > 1:
            lines += ["", style.paint("bold", title)]
            lines += [f"  {line}" for line in columns(rows, ["left"] * len(rows[0]))]
    return "\n".join(lines) + "\n"


def _facts(report: StatusReport) -> Iterator[str]:
    by_status: dict[str, list[str]] = {}
    for stack in report.stacks:
        by_status.setdefault(stack.status, []).append(
            stack.name.removeprefix(f"{report.environment}-")
        )
    stacks = "; ".join(f"{status}: {', '.join(names)}" for status, names in by_status.items())
    published = ""
    if report.scheduler_written_at is not None:
        published = f" (published {time_text(report.scheduler_written_at)} UTC)"
    if report.jobs is None:
        jobs = "unknown"
    else:
        jobs = ", ".join(f"{n:,} {state}" for state, n in sorted(report.jobs.items())) or "none"
    drift = report.drift
    reasons = f" ({'; '.join(drift.reasons)})" if drift.reasons else ""
    yield from columns(
        [
            ("stacks", stacks or "–"),
            ("cluster", report.cluster_status or "–"),
            ("jobs", jobs + published),
            ("cost per hour", _cost(report.cost)),
            ("drift", printable(drift.state + reasons)),
        ],
        ["left", "left"],
    )


def _cost(cost: HourlyCost) -> str:
    if cost.usd is None and not cost.unpriced:
        return "unknown"
    parts = [] if cost.usd is None else [f"{cost.usd:,.2f} USD"]
    parts += [
        f"{counted(part.nodes, 'node')} {part.instance_type} ({part.capacity}) without a price: "
        f"{part.reason}"
        for part in cost.unpriced
    ]
    least = "at least " if cost.usd is not None and cost.at_least else ""
    return least + "; ".join(parts)


def _groups(report: StatusReport) -> list[tuple[str, ...]]:
    return [
        ("group", "role", "type", "current", "desired", "status"),
        *(
            (
                group.name,
                group.role or "–",
                group.instance_type or "–",
                number_text(group.current),
                number_text(group.desired),
                group.status or "–",
            )
            for group in report.groups
        ),
    ]


def _nodes(report: StatusReport) -> list[tuple[str, ...]]:
    return [
        ("node", "group", "instance", "platform", "scheduler", "accepted", "since", "reason"),
        *(_node(node) for node in report.nodes),
    ]


def _node(node: NodeStatus) -> tuple[str, ...]:
    return (
        printable(node.name),
        node.group or "–",
        node.instance_id or "–",
        node.platform_state,
        printable(node.scheduler_state or "–"),
        node.accepted,
        time_text(node.since),
        printable(node.reason or ""),
    )


def _capacity(report: StatusReport) -> list[tuple[str, ...]]:
    return [
        ("purchase", "kind", "status", "used", "free", "ends (UTC)"),
        *(
            (
                found.id.rpartition("/")[2],
                found.kind,
                found.status or "unknown",
                number_text(found.used),
                number_text(found.free),
                time_text(found.ends),
            )
            for found in report.capacity
        ),
    ]
