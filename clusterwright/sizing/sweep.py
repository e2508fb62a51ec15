"""Every instance type and number of nodes for a goal, each with its fastest layout and interval.

Impossible sizes are skipped early: those whose memory cannot hold the model's state, and those
that would take years at the matmul ceiling. `offers` prices the candidates.
"""

from __future__ import annotations

import datetime as dt
import itertools
import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from clusterwright.catalog import Catalog
from clusterwright.sizing import estimate
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.flops import six_n_d
from clusterwright.sizing.goal import ClusterGoal, Goal
from clusterwright.sizing.hardware import Hardware, of_instance_type, trainable_types
from clusterwright.sizing.inputs import Inputs, resolve
from clusterwright.sizing.memory import GIB, HEADROOM, Training
from clusterwright.sizing.node_search import fewest
from clusterwright.sizing.plan_types import Candidate, EfaOff, Plan, QuantileName
from clusterwright.sizing.quantities import counted
from clusterwright.sizing.shape import ModelShape

DAYS_MAX: Final = 730.0
"""Runs longer than two years are not candidates."""
REFINED_RATIO: Final = 8
"""Between powers of two, the fewest nodes are searched for types that need up to so many times the
accelerators of the type that needs fewest."""


def sweep(
    goal: Goal,
    catalog: Catalog,
    *,
    config: ModelShape | None = None,
    today: dt.date | None = None,
    types: Iterable[str] | None = None,
) -> tuple[Candidate, ...]:
    """Candidates by type and number of nodes; impossible ones have `infeasible`.

    Parameters
    ----------
    goal:
        `cluster` is not read.
    types:
        Instance types to try; by default every type of the catalogue that can train, and that is
        not known to be missing in the goal's region.

    Returns
    -------
    For each type the possible powers of two of nodes and the fewest that finish in time, in
    increasing order, or one candidate with the reason why there is none. `chosen` is not set.

    Raises
    ------
    GoalError
        The goal is invalid.
    """
    inputs = resolve(goal, config=config)
    days_max = days_allowed(goal, today)
    training = estimate.training_for(goal, inputs.shape)
    by_type: list[list[Candidate]] = []
    for name in types if types is not None else trainable_types(catalog):
        hardware = of_instance_type(name, catalog)
        missing = estimate.not_offered(name, goal.region, catalog)
        if missing is not None:
            why = f"{missing.message}: {missing.hint}"
            by_type.append([_infeasible(hardware, hardware.per_node, why)])
            continue
        by_type.append(_of_type(hardware, inputs, training, goal))
    in_time = smallest_in_time(itertools.chain(*by_type), days_max, goal.deadline_at)
    least = min((one.accelerators for one in in_time.values()), default=0)
    found: list[Candidate] = []
    for one_type in by_type:
        hardware = one_type[0].hardware
        best = in_time.get(hardware.name)
        if best is not None and best.accelerators <= REFINED_RATIO * least:
            refined = _with_fewest(one_type, inputs, training, goal, days_max)
        else:
            refined = one_type
        unknown = estimate.unknown_offering(hardware.name, goal.region, catalog)
        found += [replace(candidate, unknown_offering=unknown) for candidate in refined]
    return tuple(found)


def days_allowed(goal: Goal, today: dt.date | None) -> float:
    """Days until the deadline, or two months without one.

    Raises
    ------
    GoalError
        The deadline is invalid or past.
    """
    return (goal.deadline_hours(today) or estimate.DEFAULT_RUN_DAYS * 24) / 24


def plan_anywhere(
    goal: Goal,
    catalog: Catalog,
    *,
    config: ModelShape | None = None,
    today: dt.date | None = None,
) -> Plan:
    """Plan a goal without a cluster: the smallest in time, beside the best of every other type.

    The chosen one has the fewest accelerators of those that finish by the deadline (or in two
    months) at `goal.deadline_at`. This ranks by size; `selection` ranks the same candidates by
    price.

    Raises
    ------
    GoalError
        The goal is invalid, or no type reaches it in two years.
    """
    count = goal.cluster.nodes or goal.cluster.accelerators
    if count:
        what = "nodes" if goal.cluster.nodes else "accelerators"
        raise GoalError(
            f"the type of the {count:,} {what} is missing",
            "--instance-type p5.48xlarge or --accelerator H100",
            field="cluster",
        )
    days_max, at = days_allowed(goal, today), goal.deadline_at
    candidates = sweep(goal, catalog, config=config, today=today)
    best = smallest_in_time(candidates, days_max, at)
    if not best:
        reasons = {c.infeasible for c in candidates if c.infeasible}
        raise GoalError(
            f"no instance type reaches this goal: {'; '.join(sorted(reasons)[:3])}",
            "a smaller model, fewer tokens, a larger --batch-tokens, or --kind lora",
            field="cluster",
        )
    order = sorted(best.values(), key=lambda c: _rank(c, days_max, at))
    first = order[0]
    late = _days_at(first, at) > days_max
    if goal.deadline is not None and late:
        raise _too_late(first, days_max, at)
    answer = estimate.plan(on_cluster_of(first, goal), catalog, config=config, today=today)
    inputs = resolve(goal, config=config)
    others = [
        replace(
            c,
            notes=(*c.notes, _disadvantage(c, first, days_max, at)),
            efa_off=_efa_off(c, inputs, goal),
        )
        for c in order[1:]
    ]
    refused = [c for c in candidates if c.infeasible]
    limit = f"{days_max:.3g} days at {at.upper()}"
    if late:
        reason = f"the fastest of all types: none finishes in {limit}"
    else:
        reason = f"the fewest accelerators of all types that finish in {limit}"
    note = (
        f"no cluster was named: {first.nodes:,} x {first.hardware.name} was chosen, {reason}; "
        "prices were not compared"
    )
    return replace(
        answer,
        estimate=replace(answer.estimate, accelerators_chosen=True),
        candidates=(answer.chosen, *others, *refused),
        warnings=(note, *answer.warnings),
    )


def on_cluster_of(candidate: Candidate, goal: Goal) -> Goal:
    """The same goal, with the candidate's cluster."""
    cluster = {"instance_type": candidate.hardware.instance_type, "nodes": candidate.nodes}
    return goal.model_copy(update={"cluster": ClusterGoal.model_validate(cluster)})


def _efa_off(candidate: Candidate, inputs: Inputs, goal: Goal) -> EfaOff | None:
    if candidate.nodes < 2 or candidate.days is None:
        return None
    training = estimate.training_for(goal, inputs.shape)
    option = estimate.best_option(inputs, candidate.hardware, candidate.accelerators, training)
    return estimate.efa_off(option, inputs, training, goal, candidate.days)


def _days_at(candidate: Candidate, at: QuantileName) -> float:
    assert candidate.days is not None
    return candidate.days.at(at)


def _too_late(fastest: Candidate, days_max: float, at: QuantileName) -> GoalError:
    """The error of a deadline that no type meets, with a hint at what would."""
    days = _days_at(fastest, at)
    share = days_max / days
    return GoalError(
        f"no instance type finishes in {days_max:.3g} days: the fastest, {fastest.nodes:,} x "
        f"{fastest.hardware.name}, take {days:.3g} at {at.upper()}",
        f"a deadline of {math.ceil(days)}d, {100 * share:.2g} % of the tokens, or a model of "
        f"about {100 * math.sqrt(share):.2g} % of the size on tokens in proportion",
        field="deadline",
    )


def _rank(
    candidate: Candidate, days_max: float, at: QuantileName
) -> tuple[bool, bool, float, float]:
    """In time first; then types that the region is known to offer; then fewest accelerators."""
    days = _days_at(candidate, at)
    late = days > days_max
    size = days if late else candidate.accelerators
    return (late, candidate.unknown_offering is not None, size, days)


def _disadvantage(
    candidate: Candidate, first: Candidate, days_max: float, at: QuantileName
) -> str:
    days = _days_at(candidate, at)
    if days > days_max:
        many = counted(candidate.accelerators, "accelerator")
        return f"misses {days_max:.0f} days even with {many}"
    if candidate.unknown_offering is not None and first.unknown_offering is None:
        return f"{candidate.unknown_offering}, so not ranked before types with a known offering"
    ratio = candidate.accelerators / first.accelerators
    if ratio != 1:
        return f"{ratio:.3g} times the accelerators of {first.hardware.name}"
    slower = days / _days_at(first, at) - 1
    return f"the same number of accelerators, {slower:.0%} slower"


def smallest_in_time(
    candidates: Iterable[Candidate], days_max: float, at: QuantileName = "p50"
) -> dict[str, Candidate]:
    """For each type the smallest cluster that finishes in time at a quantile, or the fastest."""
    best: dict[str, Candidate] = {}
    for candidate in candidates:
        if candidate.days is None:
            continue
        name = candidate.hardware.name
        other = best.get(name)
        if other is None or _better(candidate, other, days_max, at):
            best[name] = candidate
    return best


def _better(candidate: Candidate, other: Candidate, days_max: float, at: QuantileName) -> bool:
    in_time = _days_at(candidate, at) <= days_max
    other_in_time = _days_at(other, at) <= days_max
    if in_time != other_in_time:
        return in_time
    if in_time:
        return candidate.accelerators < other.accelerators
    return _days_at(candidate, at) < _days_at(other, at)


def _of_type(
    hardware: Hardware, inputs: Inputs, training: Training, goal: Goal
) -> list[Candidate]:
    found: list[Candidate] = []
    reason = ""
    try:
        peak = hardware.peak_tflops(inputs.precision) * 1e12
    except GoalError as error:
        return [_infeasible(hardware, hardware.per_node, error.message)]
    least = _state_bytes(inputs.shape, training)
    flops = six_n_d(inputs.shape.active, inputs.tokens)
    for count in estimate.node_counts(hardware):
        if least > count * HEADROOM * hardware.memory_gib * GIB:
            reason = reason or (
                f"the model's state, {least / 1e12:,.2f} TB, needs more accelerators"
            )
            continue
        days = flops / (count * peak * hardware.ceiling) / 86_400
        if days > DAYS_MAX:
            reason = f"{days:,.0f} days at the matmul ceiling on {counted(count, 'accelerator')}"
            continue
        option, why = estimate.try_option(inputs, hardware, count, training)
        if option is None:
            reason = why
            if found:
                break
            continue
        candidate = _candidate(option, inputs, training, goal)
        assert candidate.days is not None
        if candidate.days.p50 > DAYS_MAX:
            reason = f"{candidate.days.p50:,.0f} days at P50 on {counted(count, 'accelerator')}"
            continue
        found.append(candidate)
        if candidate.days.p50 < 0.5:
            break
    return found or [_infeasible(hardware, hardware.per_node, reason)]


def _with_fewest(
    found: list[Candidate],
    inputs: Inputs,
    training: Training,
    goal: Goal,
    days_max: float,
) -> list[Candidate]:
    """The candidates of a type, with the fewest nodes that finish in time between two of them."""
    at, hardware = goal.deadline_at, found[0].hardware
    index = next((i for i, one in enumerate(found) if _days_at(one, at) <= days_max), None)
    if index is None:
        return found
    enough, tried = found[index], {found[index].accelerators: found[index]}
    counts = estimate.node_counts(hardware)
    before = counts.index(enough.accelerators) - 1

    def in_time(count: int) -> bool:
        option, _ = estimate.try_option(inputs, hardware, count, training)
        if option is None:
            return False
        tried[count] = _candidate(option, inputs, training, goal)
        return _days_at(tried[count], at) <= days_max

    unit = max(hardware.per_node, hardware.scale_up_size)
    least = fewest(in_time, counts[before] if before >= 0 else 0, enough.accelerators, unit)
    if least == enough.accelerators:
        return found
    return [*found[:index], tried[least], *found[index:]]


def _candidate(
    option: estimate.Option, inputs: Inputs, training: Training, goal: Goal
) -> Candidate:
    outcome = estimate.outcome_of(option, inputs, training, goal)
    return replace(
        estimate.candidate_of(option, inputs),
        days=outcome.days,
        accelerator_hours=outcome.accelerator_hours,
        in_run_mfu=outcome.in_run_mfu,
        goodput=outcome.goodput,
    )


def _state_bytes(shape: ModelShape, training: Training) -> float:
    """The least that all accelerators together must hold."""
    per = training.weight_bytes + training.gradient_bytes + training.optimizer_bytes
    return shape.params * (per * training.trainable_share + training.frozen_bytes)


def _infeasible(hardware: Hardware, accelerators: int, reason: str) -> Candidate:
    return Candidate(
        hardware=hardware,
        nodes=max(1, accelerators // hardware.per_node),
        accelerators=accelerators,
        layout=None,
        memory=None,
        step=None,
        infeasible=reason,
    )
