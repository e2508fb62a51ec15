"""What `clusterwright node` will do, and what became of it, as text."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.operate.results import JobHit, NodePlan, NodeReport
from clusterwright.platforms.registry import traits_of
from clusterwright.render.source import printable
from clusterwright.render.style import PLAIN, Style
from clusterwright.render.table import columns, counted

_SHOWN = 10


def plan_text(plan: NodePlan, style: Style = PLAIN) -> str:
    """The nodes, what happens, the jobs that are hit, and the cost."""
    lines = [
        style.paint(
            "bold",
            f"{plan.verb} {counted(len(plan.wanted), 'node')} of {plan.environment} because: "
            f"{printable(plan.because)}",
        )
    ]
    rows = [
        (printable(a.name), a.group or "–", a.instance_id or "–", printable(a.state))
        for a in plan.wanted
    ]
    lines += [f"  {line}" for line in columns(rows, ["left"] * 4)]
    lines += [f"{text}." for text in _sentences(plan)]
    lines += [f"{style.paint('warning', 'warning:')} {printable(w)}" for w in plan.warnings]
    return "\n".join(lines) + "\n"


def node_text(report: NodeReport, style: Style = PLAIN) -> str:
    """One line for each node."""
    rows = []
    for result in report.results:
        new = f" (now {result.new_instance_id})" if result.new_instance_id else ""
        rows.append(
            (
                printable(result.name),
                (result.instance_id or "–") + new,
                result.outcome,
                printable(result.reason),
            )
        )
    lines = columns(rows, ["left"] * 4)
    bad = sum(result.outcome in ("refused", "failed") for result in report.results)
    if bad:
        lines.append(style.paint("error", f"{counted(bad, 'node')} refused or failed"))
    return "\n".join(lines) + "\n"


def _sentences(plan: NodePlan) -> Iterator[str]:
    yield "; ".join(_capital(plan.effects)) if plan.effects else "Nothing is done"
    if plan.drains_first:
        if traits_of(plan.platform).uses_slurm:
            yield "Slurm drains the nodes first, and resumes them when they are accepted"
        else:
            yield "The nodes are cordoned first; a node that is rebooted is uncordoned afterwards"
    if plan.jobs is None:
        yield "The jobs on the nodes are unknown"
    elif plan.jobs:
        ends = "stop" if plan.jobs_stop else "go on"
        yield f"{counted(len(plan.jobs), 'running job')} on the nodes {ends}: {_jobs(plan.jobs)}"
    else:
        yield "No job runs on the nodes"
    yield f"Cost: {_cost(plan)}"


def _capital(texts: tuple[str, ...]) -> list[str]:
    first = texts[0]
    return [first[:1].upper() + first[1:], *texts[1:]]


def _jobs(jobs: tuple[JobHit, ...]) -> str:
    shown = [
        printable(
            f"{job.id} ({job.name or 'unnamed'}, {job.user or 'unknown user'}, "
            f"{counted(job.nodes, 'node')})"
        )
        for job in jobs[:_SHOWN]
    ]
    return ", ".join(shown) + (" and others" if len(jobs) > _SHOWN else "")


def _cost(plan: NodePlan) -> str:
    if plan.node_minutes is None:
        if plan.usd_per_hour is None:
            return "unknown, because the time or a price is"
        return f"{plan.usd_per_hour:,.2f} USD for each hour in which the nodes do no work"
    low, high = plan.node_minutes
    text = f"{low:,} node-minutes" if low == high else f"{low:,} to {high:,} node-minutes"
    if plan.usd is None:
        return f"{text}, price unknown"
    if plan.usd[0] == plan.usd[1]:
        return f"{text}, {plan.usd[0]:,.2f} USD"
    return f"{text}, {plan.usd[0]:,.2f} to {plan.usd[1]:,.2f} USD"
