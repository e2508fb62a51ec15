"""The rehearsal's verdict as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from clusterwright.render.source import printable
from clusterwright.render.style import PLAIN, Style
from clusterwright.render.table import columns
from clusterwright_rehearsal.verdict import STATUS_WORDS, Promise, Verdict

_COLOURS = {"held": "pass", "broken": "error", "unknown": "unknown"}


@dataclass(frozen=True)
class ScenarioRow:
    """One scenario in the list."""

    name: str
    title: str
    promises: Sequence[str]
    default: bool


def verdict_text(verdict: Verdict, style: Style = PLAIN) -> str:
    """The promises by scenario, the nodes, failures, and what no promise covers."""
    verdict = _single_line_texts(verdict)
    version = f", {verdict.slurm}" if verdict.slurm else ""
    lines = [f"Rehearsal of {verdict.config} (Debian {verdict.suite}{version})", ""]
    lines += [f"note: {note}" for note in verdict.notes]
    if verdict.notes:
        lines.append("")
    lines += _promises(verdict, style)
    if verdict.nodes:
        lines += ["", "Nodes"]
        lines += columns(
            [
                (
                    f"  {node.name}",
                    node.host,
                    node.instance_type,
                    node.status,
                    "" if node.seconds is None else f"{node.seconds:.1f} s",
                )
                for node in verdict.nodes
            ],
            ("left", "left", "left", "left", "right"),
        )
    if verdict.phases:
        lines += ["", "Time"]
        lines += columns(
            [(f"  {phase.name}", f"{phase.seconds:.1f} s") for phase in verdict.phases],
            ("left", "right"),
        )
    lines += [
        line for entry in verdict.skipped for line in (f"skipped {entry.what}: {entry.reason}",)
    ]
    for node, text in verdict.failure_logs:
        lines += ["", f"The end of the log of {node}:"]
        lines += [f"  {printable(line)}" for line in text.splitlines()]
    lines += ["", "Not covered by any promise:"]
    lines += [f"  - {text}" for text in verdict.not_covered]
    counts = ", ".join(
        f"{verdict.count(status)} {word}"
        for status, word in STATUS_WORDS.items()
        if verdict.count(status) or status == "held"
    )
    return "\n".join([*lines, "", f"Promises: {counts}"]) + "\n"


def cleaned_text(removed: Sequence[str], left: Sequence[str], alive: Sequence[str]) -> str:
    lines = [f"removed {thing}" for thing in removed]
    lines += [f"could not be removed: {thing}" for thing in left]
    lines += [f"run {run} is in progress and was not touched" for run in alive]
    if not removed and not left:
        lines.append("nothing was left behind")
    elif not left:
        lines.append("verified: no namespace, mount, cgroup or process of these runs is left")
    return "\n".join(lines) + "\n"


def scenarios_text(rows: Sequence[ScenarioRow]) -> str:
    lines = columns(
        [(row.name, "*" if row.default else "", row.title) for row in rows],
        ("left", "left", "left"),
    )
    return "\n".join([*lines, "", "* runs without --scenario and --all"]) + "\n"


def _promises(verdict: Verdict, style: Style) -> list[str]:
    lines = []
    scenario, together = None, False
    width = max((len(p.id) - len(p.scenario) - 1 for p in verdict.promises), default=0)
    for promise in verdict.promises:
        if promise.scenario != scenario:
            scenario = promise.scenario
            same = [p for p in verdict.promises if p.scenario == scenario]
            reasons = {(p.status, p.reason, p.seconds) for p in same}
            together = len(same) > 1 and reasons == {("unknown", promise.reason, None)}
            if together:
                status = style.paint("unknown", "unknown")
                lines += [scenario, f"  {status} all {len(same)} promises ({promise.reason})"]
                continue
            lines.append(scenario)
        elif together:
            continue
        lines += _promise(promise, width, style)
    return lines


def _promise(promise: Promise, width: int, style: Style) -> list[str]:
    status = style.paint(_COLOURS[promise.status], f"{STATUS_WORDS[promise.status]:<7}")
    name = promise.id.removeprefix(f"{promise.scenario}.").ljust(width)
    seconds = "" if promise.seconds is None else f"{promise.seconds:.1f} s"
    lines = [f"  {status} {name}  {seconds:>7}  {promise.text}"]
    if promise.reason:
        lines.append(f"  {'':<7} {'':<{width}}  {'':>7}  ({promise.reason})")
    return lines


def _single_line_texts(value: Any) -> Any:
    """The texts of a verdict without control characters and line breaks, except in logs."""
    if isinstance(value, str):
        return " / ".join(printable(line) for line in value.splitlines())
    if isinstance(value, tuple | list):
        return tuple(_single_line_texts(entry) for entry in value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    kept = ("timeline", "failure_logs")
    changed = {
        entry.name: _single_line_texts(getattr(value, entry.name))
        for entry in fields(value)
        if entry.name not in kept
    }
    if isinstance(value, Verdict):
        changed["failure_logs"] = tuple(
            (_single_line_texts(node), text) for node, text in value.failure_logs
        )
    return replace(value, **changed)
