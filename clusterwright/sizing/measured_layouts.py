"""Put the layouts that a sweep measured before those that only the step model knows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from clusterwright.sizing.estimate import Option
from clusterwright.sizing.layouts import Grid
from clusterwright.sizing.measurement import MeasuredLayout
from clusterwright.sizing.plan_types import Layout

SHARE_TOLERANCE = 1e-3
"""The JSON of a plan rounds the share of recomputed layers."""


class Swept:
    """The layouts of sweeps; `notes` says what they change, after `order`."""

    def __init__(self, layouts: Sequence[MeasuredLayout]) -> None:
        self._layouts = layouts
        self.notes: tuple[str, ...] = ()

    def order(self, option: Option) -> tuple[Option, Mapping[int, float]]:
        """The option with the fastest measured layout first, then the other measured ones.

        Layouts that ran out of memory are left out, if another is left. Layouts on another number
        of nodes have other sizes and change nothing.

        Returns
        -------
        The option, and tokens per second by column of its grid.
        """
        here = [one for one in self._layouts if one.nodes == option.nodes]
        rates: dict[int, list[float]] = {}
        failed: set[int] = set()
        notes = []
        for one in here:
            column = column_of(option.grid, one.layout)
            if column is None:
                notes.append(
                    f"layout: {one.layout.text} was measured, and is not one of the layouts of "
                    "the planner for this batch: its throughput is not compared"
                )
            elif one.tokens_per_second is None:
                failed.add(column)
                notes.append(f"layout: {one.layout.text} ran out of memory and is left out")
            else:
                rates.setdefault(column, []).append(one.tokens_per_second)
        means = {
            column: math.exp(sum(map(math.log, each)) / len(each))
            for column, each in rates.items()
        }
        measured = sorted(means, key=lambda column: -means[column])
        rest = [int(c) for c in option.order if int(c) not in means and int(c) not in failed]
        columns = [*measured, *rest] or [int(c) for c in option.order]
        ordered = replace(option, order=np.array(columns, dtype=np.intp))
        if measured:
            notes.append(_chosen(option, ordered, means))
        self.notes = tuple(notes)
        return ordered, means


def first(option: Option, layout: Layout) -> Option:
    """The option with a layout first; unchanged if it is not one of its layouts."""
    column = column_of(option.grid, layout)
    if column is None:
        return option
    rest = [int(c) for c in option.order if int(c) != column]
    return replace(option, order=np.array([column, *rest], dtype=np.intp))


def column_of(grid: Grid, layout: Layout) -> int | None:
    """The column of a layout, whose accumulation follows from the batch."""
    for column in range(len(grid)):
        found = grid.layout(column)
        share = found.recompute_share
        if (
            replace(found, accumulation=1, recompute_share=1.0)
            == replace(layout, accumulation=1, recompute_share=1.0)
            and abs(share - layout.recompute_share) <= SHARE_TOLERANCE
        ):
            return column
    return None


def _chosen(before: Option, after: Option, rates: Mapping[int, float]) -> str:
    """Which layout is chosen, and how it compares with the step model's choice."""
    planned, chosen = int(before.order[0]), int(after.order[0])
    text = after.grid.layout(chosen).text
    many = f"the fastest of {len(rates)} measured" if len(rates) > 1 else "the only measured one"
    if chosen == planned:
        return f"layout: {text} stays chosen, {many}"
    other = before.grid.layout(planned).text
    if planned in rates:
        slower = rates[chosen] / rates[planned] - 1
        return (
            f"layout: {text} is chosen, {many}; {other} of the step model is {slower:.0%} slower"
        )
    return f"layout: {text} is chosen, {many}; {other} of the step model was not measured"
