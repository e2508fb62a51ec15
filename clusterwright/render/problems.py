"""Problems of a spec as text, for every command."""

from __future__ import annotations

from collections.abc import Iterable

from clusterwright.cluster_spec.problems import Problem
from clusterwright.render.source import excerpt, printable
from clusterwright.render.style import PLAIN, Style


def problems_text(problems: Iterable[Problem], style: Style = PLAIN) -> str:
    """Every problem as `error: message`, its position with carets, and its hint."""
    return "\n".join(_problem(problem, style) for problem in problems)


def _problem(problem: Problem, style: Style) -> str:
    lines = [f"{style.paint('error', 'error:')} {printable(problem.message)}"]
    if problem.position is not None:
        lines += excerpt(problem.position, style)
    if problem.note:
        lines.append(f"  {printable(problem.note)}")
    if problem.hint:
        lines += ["", f"{style.paint('hint', 'hint:')} {printable(problem.hint)}"]
    return "\n".join(lines) + "\n"
