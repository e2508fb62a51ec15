"""Plan with measured runs: their throughput, checkpoints, restarts and failures narrow it.

A run of the same model, precision and sequence length on the same instance type is used. On
another number of nodes or with another batch the step model scales it, because it predicts the
effect of both: the more its two predictions vary together, the more the run narrows. For another
instance type or another model the step model's own error is as large as what the run would tell,
so these are refused.
"""

from __future__ import annotations

import datetime as dt
import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from clusterwright.catalog import Catalog
from clusterwright.sizing import estimate, measured_layouts, narrowing, uncertainty
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.estimate import Prior
from clusterwright.sizing.goal import Goal
from clusterwright.sizing.layouts import Floats
from clusterwright.sizing.measurement import Measurement, Throughput
from clusterwright.sizing.narrowing import Observed
from clusterwright.sizing.plan_types import (
    Assumption,
    Layout,
    NarrowedQuantity,
    Narrowing,
    Plan,
    Quantiles,
)
from clusterwright.sizing.shape import ModelShape

PARAMS_TOLERANCE: Final = 0.02
"""Two statements of a model's parameters differ by so much: embeddings are counted or not."""


def measured_plan(
    goal: Goal,
    catalog: Catalog,
    measured: Sequence[Measurement],
    *,
    config: ModelShape | None = None,
    today: dt.date | None = None,
) -> Plan:
    """The plan of a named cluster, narrowed by measured runs.

    Raises
    ------
    GoalError
        As `estimate.plan`; the goal names no instance type and number of nodes; a run is of
        another model, instance type, precision or sequence length, or impossible.
    """
    cluster = goal.cluster
    if cluster.instance_type is None or not (cluster.nodes or cluster.accelerators):
        stated = next((m.instance_type for m in measured if m.instance_type), "TYPE")
        nodes = next((str(t.nodes) for m in measured for t in m.throughputs), "N")
        raise GoalError(
            "--measured narrows the plan of one cluster, and the goal names none",
            f"--instance-type {stated} --nodes {nodes}",
            field="cluster",
        )
    swept = measured_layouts.Swept([each for one in measured for each in one.layouts])
    narrow = functools.partial(_narrow, tuple(measured), swept)
    return estimate.plan(
        goal, catalog, config=config, today=today, narrow=narrow, order=swept.order
    )


def _narrow(
    measured: tuple[Measurement, ...], swept: measured_layouts.Swept, prior: Prior
) -> tuple[tuple[Assumption, ...], Narrowing]:
    notes = [*(note for one in measured for note in one.notes), *swept.notes]
    for one in measured:
        notes += _same_workload(one, prior)
    found = (
        _throughput(measured, prior, notes),
        _failures(measured, prior),
        _mean("save", [(m.save_seconds, m.saves) for m in measured], prior),
        _restarts(measured, prior),
    )
    quantities = tuple(one for one in found if one is not None)
    for each in quantities:
        if each.outside and each.key != "failures":
            notes.append(
                f"{each.text}: the measured {each.measured:,.4g} {each.unit} is outside the "
                f"plan's interval, {each.before.p10:,.4g} to {each.before.p90:,.4g}; the plan now "
                "follows the measurement"
            )
    unknown = tuple(dict.fromkeys(text for one in measured for text in one.unknown))
    days = Quantiles(0.0, 0.0, 0.0)
    changes = Narrowing(
        tuple(m.file for m in measured), quantities, days, days, tuple(notes), unknown
    )
    return _assumptions(prior, changes), changes


def _same_workload(one: Measurement, prior: Prior) -> list[str]:
    """What a document does not state and is assumed to be as planned.

    Raises
    ------
    GoalError
        It states something else than the plan.
    """
    hardware, inputs, goal = prior.option.hardware, prior.inputs, prior.goal
    stated, missing = one.workload, []
    if one.instance_type is None:
        missing.append("instance type")
    elif one.instance_type != hardware.instance_type:
        raise _refused(
            one,
            f"{one.instance_type}, and the plan is for {hardware.instance_type}",
            f"--instance-type {one.instance_type}, or a run on {hardware.instance_type}; the "
            "difference between types is what the plan knows least",
        )
    params = inputs.shape.params
    if stated.params is None:
        missing.append("model")
    elif abs(stated.params / params - 1) > PARAMS_TOLERANCE:
        name = f"{stated.model}, " if stated.model else ""
        raise _refused(
            one,
            f"{name}{stated.params:.4g} parameters, and the plan is for {params:.4g}",
            "--model of the run, or a run of this model",
        )
    for word, value, planned, flag in (
        ("sequence length", stated.seq_len, inputs.seq_len, "--seq-len"),
        ("precision", stated.precision, inputs.precision, "--precision"),
        ("kind of training", stated.kind, goal.kind, "--kind"),
    ):
        if value is None:
            missing.append(word)
        elif value != planned:
            raise _refused(one, f"{word} {value}, and the plan has {planned}", f"{flag} {value}")
    if not missing:
        return []
    names = missing[0] if len(missing) == 1 else f"{', '.join(missing[:-1])} and {missing[-1]}"
    return [f"{one.file} does not state {names}: assumed to be as planned"]


def _refused(one: Measurement, difference: str, hint: str) -> GoalError:
    return GoalError(f"{one.file} measured {difference}", hint, field="measured")


@dataclass(frozen=True)
class _Group:
    """Runs on one number of nodes with one batch and one layout."""

    nodes: int
    tokens_per_step: float | None
    layout: Layout | None
    tokens_per_second: float
    runs: int


def _groups(measured: Sequence[Measurement]) -> list[_Group]:
    """Runs of the same size together: their geometric mean."""
    by_size: dict[tuple[int, float | None, Layout | None], list[Throughput]] = {}
    for one in measured:
        for found in one.throughputs:
            size = (found.nodes, found.tokens_per_step, found.layout)
            by_size.setdefault(size, []).append(found)
    groups = []
    for (nodes, per_step, layout), found_here in by_size.items():
        runs = sum(one.runs for one in found_here)
        log = sum(one.runs * math.log(one.tokens_per_second) for one in found_here) / runs
        groups.append(_Group(nodes, per_step, layout, math.exp(log), runs))
    return groups


def _throughput(
    measured: Sequence[Measurement], prior: Prior, notes: list[str]
) -> NarrowedQuantity | None:
    groups = _groups(measured)
    if not groups:
        return None
    drawn = uncertainty.sample(prior.found, seed=prior.goal.seed, samples=prior.samples)
    here = uncertainty.tokens_per_second(prior.work, drawn)
    nodes = prior.option.nodes

    def distance(one: _Group) -> tuple[float, float, int, float]:
        batch = one.tokens_per_step or prior.inputs.batch_tokens
        return (
            abs(math.log(one.nodes / nodes)),
            abs(math.log(batch / prior.inputs.batch_tokens)),
            -one.runs,
            -one.tokens_per_second,
        )

    group = min(groups, key=distance)
    there = _rates_of(group, prior, drawn, here)
    before = uncertainty.quantiles(here)
    measured_before = uncertainty.quantiles(there)
    after = narrowing.narrowed(
        before,
        Observed(
            group.tokens_per_second,
            narrowing.run_error(group.runs),
            measured_before,
            1.0 if there is here else narrowing.correlation(here, there),
        ),
    )
    value = group.tokens_per_second
    if there is not here:
        value *= before.p50 / measured_before.p50
        batch = group.tokens_per_step or prior.inputs.batch_tokens
        notes.append(
            f"throughput: measured {group.tokens_per_second:,.0f} tokens/s on {group.nodes:,} "
            f"nodes with {batch:,.0f} tokens per step, scaled by the step model to {nodes:,} "
            f"nodes with {prior.work.tokens_per_step:,.0f}"
        )
    if len({(one.nodes, one.tokens_per_step) for one in groups}) > 1:
        notes.append(
            f"throughput: of {len(groups)} measured sizes the nearest to the plan's "
            f"{nodes:,} nodes is used, {group.nodes:,} nodes"
        )
    return NarrowedQuantity(
        uncertainty.THROUGHPUT,
        "tokens per second while training",
        "tokens/s",
        value,
        group.runs,
        before,
        after,
    )


def _rates_of(group: _Group, prior: Prior, drawn: Mapping[str, Floats], here: Floats) -> Floats:
    """Samples of the throughput on the measured cluster; `here` where it is the plan's.

    Raises
    ------
    GoalError
        The model does not fit there, or the throughput is above the matmul ceiling.
    """
    option, inputs, work = prior.option, prior.inputs, prior.work
    batch = group.tokens_per_step
    same_batch = batch is None or math.isclose(batch, work.tokens_per_step, rel_tol=0.01)
    rates = here
    if group.nodes != option.nodes or not same_batch:
        count = group.nodes * option.hardware.per_node
        asked = inputs if batch is None else replace(inputs, batch_tokens=batch)
        other, reason = estimate.try_option(
            asked, option.hardware, count, prior.training, may_idle=True
        )
        if other is None:
            raise GoalError(
                f"a run on {group.nodes:,} x {option.hardware.name} was measured, on which the "
                f"planner finds no layout: {reason}",
                "check nodes and tokens_per_step of the measurement",
                field="measured",
            )
        if group.layout is not None:
            other = measured_layouts.first(other, group.layout)
        work = estimate.work_of(other, asked, prior.training)
        rates = uncertainty.tokens_per_second(work, drawn)
    highest = uncertainty.highest_tokens_per_second(work)
    if group.tokens_per_second > highest:
        raise GoalError(
            f"{group.tokens_per_second:,.0f} tokens/s on {group.nodes:,} x {option.hardware.name} "
            f"were measured, and the matmul ceiling of {option.hardware.accelerator} allows "
            f"{highest:,.0f}",
            "check model, batch and sequence length of the run: `report goodput` takes them from "
            "the log and the plan",
            field="measured",
        )
    return rates


def _failures(measured: Sequence[Measurement], prior: Prior) -> NarrowedQuantity | None:
    counted = [m for m in measured if m.failures is not None and m.node_days]
    if not counted:
        return None
    count = sum(m.failures or 0 for m in counted)
    node_days = sum(m.node_days or 0.0 for m in counted)
    assumption = _assumption(prior, "failures")
    after = narrowing.failures(assumption.values, count, node_days)
    return NarrowedQuantity(
        "failures",
        f"{assumption.text}, {count:,} in {node_days:,.3g} node-days",
        assumption.unit,
        count / node_days,
        count,
        assumption.values,
        after,
    )


def _mean(
    key: str, values: Sequence[tuple[float | None, int]], prior: Prior
) -> NarrowedQuantity | None:
    """An input of which each run states the mean of a number of values."""
    known = [(value, count) for value, count in values if value is not None and count > 0]
    if not known:
        return None
    total = sum(count for _, count in known)
    mean = math.exp(sum(count * math.log(value) for value, count in known) / total)
    assumption = _assumption(prior, key)
    error = narrowing.repeated_error(assumption.values, total, len(known))
    return NarrowedQuantity(
        key,
        assumption.text,
        assumption.unit,
        mean,
        total,
        assumption.values,
        narrowing.narrowed(assumption.values, Observed(mean, error, assumption.values)),
    )


def _restarts(measured: Sequence[Measurement], prior: Prior) -> NarrowedQuantity | None:
    found = [
        (
            math.exp(sum(map(math.log, m.restart_minutes)) / len(m.restart_minutes)),
            len(m.restart_minutes),
        )
        for m in measured
        if m.restart_minutes
    ]
    return _mean("restart", found, prior)


def _assumption(prior: Prior, key: str) -> Assumption:
    return next(one for one in prior.found if one.key == key)


def _assumptions(prior: Prior, changes: Narrowing) -> tuple[Assumption, ...]:
    """The assumptions with what was measured in place of what it replaces."""
    files = ", ".join(changes.files)
    by_key = {one.key: one for one in changes.quantities}
    found = []
    rate = by_key.get(uncertainty.THROUGHPUT)
    if rate is not None:
        found.append(
            Assumption(
                rate.key, rate.text, rate.unit, rate.after, "log-normal", _reason(rate), files
            )
        )
    for one in prior.found:
        if rate is not None and one.key in uncertainty.OF_THE_STEP:
            continue
        seen = by_key.get(one.key)
        found.append(one if seen is None else _with(one, seen, files))
    return tuple(found)


def _with(assumption: Assumption, seen: NarrowedQuantity, files: str) -> Assumption:
    return replace(
        assumption,
        values=seen.after,
        reason=f"{_reason(seen)}; {assumption.reason}",
        source=f"{files}; {assumption.source}",
    )


def _reason(one: NarrowedQuantity) -> str:
    low, mid, high = one.before.p10, one.before.p50, one.before.p90
    return (
        f"measured {one.measured:,.4g} {one.unit}; without the measurement {low:,.4g}, "
        f"{mid:,.4g}, {high:,.4g}"
    )
