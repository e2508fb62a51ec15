"""The timeline of a rehearsal as SVG: bars with labels, no meaning by colour alone."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from clusterwright.render.source import printable
from clusterwright_rehearsal.report.timeline import STATES, Lane, Mark, began, ended, lanes
from clusterwright_rehearsal.verdict import STATUS_WORDS, Phase, Status, StepResult, Verdict

MOST_LANES: Final = 64
"""The maximum number of nodes in the drawing; failed and lost ones come first."""

_WIDTH: Final = 960
_LABELS: Final = 170
_RIGHT: Final = 24
_ROW: Final = 22
_BAR: Final = 14
_CHARACTER: Final = 6.6
_LETTERS: Final = {"failed": "F", "lost": "L", "replaced": "N", "reboot": "B", "deleted": "D"}
_WORDS: Final = {
    "failed": "failed",
    "lost": "lost",
    "replaced": "replaced by a new instance",
    "reboot": "rebooted",
    "deleted": "deleted",
}
_PLOT: Final = _WIDTH - _LABELS - _RIGHT


@dataclass(frozen=True)
class _Scale:
    start: float
    end: float

    def x(self, moment: float) -> float:
        """The x coordinate of a time, limited to the drawing."""
        within = min(max(moment, self.start), self.end)
        length = max(self.end - self.start, 1e-9)
        return _LABELS + (within - self.start) / length * _PLOT


def whole(verdict: Verdict) -> str:
    """Phases and scenarios, then every node, from the first event to the last; empty if no
    times are known.
    """
    start = began(verdict)
    if start is None or ended(verdict) <= start:
        return ""
    scale = _Scale(start, ended(verdict))
    phases = [phase for phase in verdict.phases if phase.started is not None]
    drawn = _chosen(lanes(verdict))
    rows = [
        *(_phase_row(phase, scale, row, verdict) for row, phase in enumerate(phases)),
        *(_node_row(lane, scale, row) for row, lane in enumerate(drawn, start=len(phases))),
    ]
    return _svg(
        "whole-run",
        "Timeline of the rehearsal",
        f"{len(phases)} parts of the rehearsal and {len(drawn)} nodes over "
        f"{scale.end - scale.start:.0f} seconds. The tables below hold the same figures.",
        rows,
        scale,
    )


def coming_up(verdict: Verdict) -> str:
    """Every node from its creation until it was running, with the steps of its script."""
    first = [lane for lane in lanes(verdict) if lane.came_up is not None]
    if not first:
        return ""
    start = min(lane.created for lane in first)
    # Without nodes that were created later, when a scenario increased the cluster.
    latest = max((lane.came_up or start) for lane in first)
    with_first = [lane for lane in first if lane.created - start < 0.5 * (latest - start) + 1.0]
    scale = _Scale(start, max(lane.came_up or start for lane in with_first))
    if scale.end <= scale.start:
        return ""
    drawn = _chosen(with_first)
    steps: dict[str, list[StepResult]] = {}
    for step in verdict.steps:
        steps.setdefault(step.node, []).append(step)
    rows = [
        _node_row(lane, scale, row, steps.get(lane.node, ())) for row, lane in enumerate(drawn)
    ]
    return _svg(
        "coming-up",
        "From CreateCluster to Running, node by node",
        f"{len(drawn)} nodes over {scale.end - scale.start:.1f} seconds: how long the machine "
        "took to start, HyperPod to set up and the lifecycle script to run, with its steps.",
        rows,
        scale,
    )


def left_out(verdict: Verdict) -> int:
    """The number of nodes that are not drawn."""
    return max(0, len(lanes(verdict)) - MOST_LANES)


def _chosen(found: Sequence[Lane]) -> list[Lane]:
    if len(found) <= MOST_LANES:
        return list(found)
    troubled = [
        lane for lane in found if any(mark.event in ("failed", "lost") for mark in lane.marks)
    ]
    calm = [lane for lane in found if lane not in troubled]
    kept = (troubled + calm)[:MOST_LANES]
    return [lane for lane in found if lane in kept]


def _phase_row(phase: Phase, scale: _Scale, row: int, verdict: Verdict) -> str:
    assert phase.started is not None
    statuses = {p.status for p in verdict.promises if p.scenario == phase.name}
    urgent: tuple[Status, ...] = ("broken", "unknown", "held")
    worst = next((status for status in urgent if status in statuses), None)
    left, right = scale.x(phase.started), scale.x(phase.started + phase.seconds)
    word = "" if worst is None else f", {STATUS_WORDS[worst]}"
    title = f"{phase.name}: {phase.seconds:.1f} s{word}"
    return (
        _label(phase.name, row)
        + _bar(f"phase {worst or 'phase'}", left, right, row, title)
        + _figure(f"{phase.seconds:.1f} s{word}", left, right, row)
    )


def _node_row(lane: Lane, scale: _Scale, row: int, steps: Iterable[StepResult] = ()) -> str:
    parts = [_label(lane.node, row)]
    for span in lane.spans:
        if span.start >= scale.end:
            continue
        title = f"{lane.node}: {STATES[span.state]}, {span.end - span.start:.1f} s"
        left, right = scale.x(span.start), scale.x(span.end)
        parts.append(_bar(f"state {span.state}", left, right, row, title))
    parts += [_step(step, scale, row) for step in steps]
    parts += [_mark(mark, lane.node, scale, row) for mark in lane.marks if mark.at <= scale.end]
    return "".join(parts)


def _step(step: StepResult, scale: _Scale, row: int) -> str:
    if step.ended is None or not scale.start <= step.ended <= scale.end + 1.0:
        return ""
    left, right = scale.x(step.ended - step.seconds), scale.x(step.ended)
    if right - left < 0.5 and step.status != "failed":
        return ""
    title = f"{step.node}: {step.step}, {step.status}, {step.seconds:.2f} s"
    text = ""
    if len(step.step) * _CHARACTER < right - left:
        middle = (left + right) / 2
        text = (
            f'<text class="in" x="{middle:.1f}" y="{_y(row) + 11}" text-anchor="middle">'
            f"{_safe(step.step)}</text>"
        )
    return _bar(f"step {_word(step.status)}", left, right, row, title) + text


def _mark(mark: Mark, node: str, scale: _Scale, row: int) -> str:
    x, y = scale.x(mark.at), _y(row)
    what = _WORDS[mark.event] + (f": {mark.text}" if mark.text else "")
    return (
        f'<g class="mark {mark.event}"><title>{_safe(f"{node}: {what}")}</title>'
        f'<circle cx="{x:.1f}" cy="{y + _BAR / 2:.1f}" r="7"/>'
        f'<text x="{x:.1f}" y="{y + 11}" text-anchor="middle">{_LETTERS[mark.event]}</text></g>'
    )


def _bar(kind: str, left: float, right: float, row: int, title: str) -> str:
    return (
        f'<rect class="{kind}" x="{left:.1f}" y="{_y(row)}" '
        f'width="{max(right - left, 0.8):.1f}" height="{_BAR}">'
        f"<title>{_safe(title)}</title></rect>"
    )


def _figure(text: str, left: float, right: float, row: int) -> str:
    """The label after a bar, or before it if there is no space."""
    y = _y(row) + 11
    if right + 6 + len(text) * _CHARACTER < _WIDTH:
        return f'<text class="figure" x="{right + 6:.1f}" y="{y}">{_safe(text)}</text>'
    if left - 6 - len(text) * _CHARACTER > _LABELS:
        return (
            f'<text class="figure" x="{left - 6:.1f}" y="{y}" text-anchor="end">'
            f"{_safe(text)}</text>"
        )
    return (
        f'<text class="in" x="{(left + right) / 2:.1f}" y="{y}" text-anchor="middle">'
        f"{_safe(text)}</text>"
    )


def _label(text: str, row: int) -> str:
    room = int((_LABELS - 12) / _CHARACTER)
    shown = text if len(text) <= room else text[: room - 1] + "…"
    return (
        f'<text class="label" x="{_LABELS - 10}" y="{_y(row) + 11}" text-anchor="end">'
        f"<title>{_safe(text)}</title>{_safe(shown)}</text>"
    )


def _svg(name: str, title: str, description: str, rows: Sequence[str], scale: _Scale) -> str:
    foot = 8 + len(rows) * _ROW
    height = foot + 30
    return (
        f'<svg id="{name}" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-labelledby="{name}-title {name}-text">'
        f'<title id="{name}-title">{_safe(title)}</title>'
        f'<desc id="{name}-text">{_safe(description)}</desc>'
        f"{_axis(scale, foot)}{''.join(rows)}</svg>\n"
    )


def _axis(scale: _Scale, foot: int) -> str:
    length = scale.end - scale.start
    step = _nice(length / 8)
    parts = []
    for number in range(int(length / step + 1e-9) + 1):
        x = scale.x(scale.start + number * step)
        parts.append(
            f'<line class="grid" x1="{x:.1f}" y1="4" x2="{x:.1f}" y2="{foot}"/>'
            f'<text class="tick" x="{x:.1f}" y="{foot + 16}" text-anchor="middle">'
            f"{number * step:g} s</text>"
        )
    return "".join(parts)


def _nice(least: float) -> float:
    """The next number of 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= least * 0.999999)


def _y(row: int) -> int:
    return 8 + row * _ROW


def _word(text: str) -> str:
    """Text as a CSS class; empty if it is not a plain word."""
    return text if text.isascii() and text.isalpha() else "other"


def _safe(text: str) -> str:
    return escape(printable(text))
