"""Plan a training goal on one kind of hardware: layout, days, accelerator-hours, memory.

A fixed cluster is estimated as given. Without a number of accelerators or nodes, the fewest that
finish by the deadline (or in two months) at P50 or P90 are chosen, with a warning. Without any
cluster, `sweep` tries every instance type.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Final

import numpy as np

from clusterwright.catalog import Catalog, Known, Unknown
from clusterwright.sizing import calibration, explain, layouts, memory, step, uncertainty
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.flops import six_n_d
from clusterwright.sizing.frameworks import frameworks
from clusterwright.sizing.goal import Goal
from clusterwright.sizing.hardware import (
    Hardware,
    of_accelerator,
    of_instance_type,
    without_efa,
)
from clusterwright.sizing.inputs import Inputs, resolve
from clusterwright.sizing.layouts import Grid
from clusterwright.sizing.memory import Training
from clusterwright.sizing.node_search import fewest
from clusterwright.sizing.plan_types import (
    Assumption,
    Candidate,
    EfaOff,
    Estimate,
    Narrowing,
    Plan,
    Quantiles,
)
from clusterwright.sizing.quantities import counted, human
from clusterwright.sizing.shape import ModelShape
from clusterwright.sizing.uncertainty import Work

DEFAULT_RUN_DAYS: Final = 60.0
"""Without a deadline, the number of accelerators is chosen for a run of about two months."""
ACCELERATORS_MAX: Final = 16_384
ALTERNATIVES: Final = 4
TOO_FEW: Final = "too few sequences"
NO_NETWORK: Final = "the network speed is not given between nodes"


@dataclass(frozen=True)
class Option:
    """The fastest layout on one cluster, before the Monte Carlo."""

    hardware: Hardware
    nodes: int
    accelerators: int
    grid: Grid
    parts: layouts.Floats
    memory_parts: layouts.Floats
    order: np.ndarray[tuple[int], np.dtype[np.intp]]
    """Columns of the grid, fastest first."""


@dataclass(frozen=True)
class Prior:
    """What a plan without measurements is made of."""

    goal: Goal
    inputs: Inputs
    option: Option
    training: Training
    work: Work
    found: tuple[Assumption, ...]
    samples: int


Narrow = Callable[[Prior], tuple[tuple[Assumption, ...], Narrowing]]
"""Gives narrowed assumptions, and what changed; `plan` states the days of both."""
Order = Callable[[Option], tuple[Option, Mapping[int, float]]]
"""Gives an option with measured layouts first, and tokens per second by measured column."""
_NO_RATES: Final[Mapping[int, float]] = {}


def plan(
    goal: Goal,
    catalog: Catalog,
    *,
    config: ModelShape | None = None,
    today: dt.date | None = None,
    samples: int = uncertainty.SAMPLES,
    narrow: Narrow | None = None,
    order: Order | None = None,
) -> Plan:
    """Plan a goal with a cluster, or with an accelerator whose count is chosen.

    Parameters
    ----------
    goal:
        With `cluster.instance_type` or `cluster.accelerator`.
    config:
        The shape of a `config.json`, if the caller has read one.
    today:
        For a deadline given as a date.
    narrow, order:
        Narrow assumptions by measured runs, and put measured layouts first.

    Raises
    ------
    GoalError
        The goal is invalid or cannot be reached; the hint has a remedy.
    """
    inputs = resolve(goal, config=config)
    if goal.kind == "inference":
        raise GoalError(
            "inference has no training run to size",
            "use `--kind` from-scratch, continued, fine-tune, lora or qlora",
            field="kind",
        )
    hardware, count, warnings = cluster_of(goal, catalog)
    hardware.peak_tflops(inputs.precision)
    deadline_hours = goal.deadline_hours(today)
    training = training_for(goal, inputs.shape)
    if count is None:
        planned = _choose(inputs, hardware, training, goal, deadline_hours)
        warnings.append(_count_warning(planned, goal, deadline_hours))
    else:
        # With a default batch the surplus accelerators stay idle; it is no reason to refuse.
        idle = goal.batch_tokens is None
        planned = best_option(inputs, hardware, count, training, may_idle=idle)
    option, rates = order(planned) if order is not None else (planned, _NO_RATES)
    found = uncertainty.assumptions(
        inputs.shape, hardware, option.nodes, recovery=goal.recovery, stack=goal.stack
    )
    work = work_of(option, inputs, training)
    prior = Prior(goal, inputs, option, training, work, found, samples)
    used, estimate, narrowing = _narrowed(prior, narrow, planned)
    estimate = replace(estimate, accelerators_chosen=count is None)
    offering_unknown = unknown_offering(hardware.instance_type, goal.region, catalog)
    candidates = tuple(
        replace(c, unknown_offering=offering_unknown)
        for c in _candidates(option, inputs, training, goal, estimate, found, rates)
    )
    if offering_unknown is not None:
        warnings.insert(0, offering_unknown)
    notes = _notes(option, inputs, hardware, deadline_hours, estimate)
    answer = Plan(
        shape=inputs.shape,
        tokens=inputs.tokens,
        seq_len=inputs.seq_len,
        precision=inputs.precision,
        kind=goal.kind,
        batch_tokens=inputs.batch_tokens,
        training_flops=six_n_d(inputs.shape.active, inputs.tokens),
        estimate=estimate,
        candidates=candidates,
        assumptions=used,
        tornado=uncertainty.tornado(work, inputs.tokens, used),
        warnings=(*inputs.warnings, *warnings, *notes),
        seed=goal.seed,
        samples=samples,
        narrowing=narrowing,
    )
    return replace(answer, explained=explain.explain(answer, work, used))


def _narrowed(
    prior: Prior, narrow: Narrow | None, planned: Option
) -> tuple[tuple[Assumption, ...], Estimate, Narrowing | None]:
    """The assumptions and the estimate, after measured runs if there are any.

    `planned` has the layouts in the step model's order: without measurements its first is chosen.
    """
    inputs, goal, samples = prior.inputs, prior.goal, prior.samples
    work = prior.work
    if planned is not prior.option:
        work = work_of(planned, inputs, prior.training)
    before = _estimate(planned, work, inputs, goal, prior.found, samples)
    if narrow is None:
        return prior.found, before, None
    used, changes = narrow(prior)
    after = _estimate(prior.option, prior.work, inputs, goal, used, samples)
    return used, after, replace(changes, days_before=before.days, days_after=after.days)


def _estimate(
    option: Option,
    work: Work,
    inputs: Inputs,
    goal: Goal,
    found: tuple[Assumption, ...],
    samples: int,
) -> Estimate:
    """Days, accelerator-hours, MFU and goodput by Monte Carlo."""
    drawn = uncertainty.sample(found, seed=goal.seed, samples=samples)
    tokens = _token_samples(inputs, drawn)
    outcome = uncertainty.evaluate(work, inputs.tokens, drawn)
    days = uncertainty.quantiles(outcome.days * tokens)
    return Estimate(
        accelerators=option.accelerators,
        accelerators_chosen=False,
        nodes=option.nodes,
        days=days,
        accelerator_hours=days.scaled(24.0 * option.accelerators),
        in_run_mfu=uncertainty.quantiles(outcome.in_run_mfu),
        goodput=uncertainty.quantiles(outcome.goodput),
        whole_run_mfu=uncertainty.quantiles(outcome.whole_run_mfu),
        usd_unknown="no region and no rate were given" if goal.region is None else None,
    )


def outcome_of(option: Option, inputs: Inputs, training: Training, goal: Goal) -> Estimate:
    """Days, accelerator-hours, MFU and goodput of the fastest layout, as `plan` computes them."""
    found = uncertainty.assumptions(
        inputs.shape, option.hardware, option.nodes, recovery=goal.recovery, stack=goal.stack
    )
    work = work_of(option, inputs, training)
    return _estimate(option, work, inputs, goal, found, uncertainty.SAMPLES)


def _count_warning(option: Option, goal: Goal, deadline_hours: float | None) -> str:
    chosen = f"number of accelerators not given: {option.accelerators:,} chosen, "
    if option.accelerators * 2 > ACCELERATORS_MAX:
        return chosen + "the largest number that was tried"
    days = deadline_hours / 24 if deadline_hours else DEFAULT_RUN_DAYS
    at = goal.deadline_at.upper()
    return chosen + f"the fewest that finish in {days:.3g} days at {at} (--accelerators)"


def cluster_of(goal: Goal, catalog: Catalog) -> tuple[Hardware, int | None, list[str]]:
    """Hardware, number of accelerators (`None` if it is to be chosen), and assumptions.

    Raises
    ------
    GoalError
        No cluster or two are named, or the counts contradict each other.
    """
    c = goal.cluster
    if c.instance_type and c.accelerator:
        raise GoalError(
            f"both an instance type ({c.instance_type}) and an accelerator ({c.accelerator})",
            "name one of them",
            field="cluster",
        )
    if c.instance_type:
        if c.per_node is not None or c.network_gbps is not None:
            raise GoalError(
                f"{c.instance_type} defines its node and network",
                "per_node and network_gbps describe your own nodes, with --accelerator",
                field="cluster",
            )
        hardware = of_instance_type(c.instance_type, catalog)
        not_offered_error = not_offered(hardware.name, goal.region, catalog)
        if not_offered_error is not None:
            raise not_offered_error
        count = None if c.nodes is None else c.nodes * hardware.per_node
        if c.accelerators is not None:
            if count is not None and count != c.accelerators:
                raise GoalError(
                    f"{c.nodes} x {hardware.name} have {count} accelerators, not {c.accelerators}",
                    "give one of --nodes and --accelerators",
                    field="accelerators",
                )
            count = c.accelerators
    elif c.accelerator:
        hardware = of_accelerator(
            c.accelerator, catalog, per_node=c.per_node, network_gbps=c.network_gbps
        )
        count = c.accelerators
        if c.nodes is not None:
            if count is not None and count != c.nodes * hardware.per_node:
                raise GoalError(
                    f"{c.nodes} nodes of {hardware.per_node} are not {count} accelerators",
                    "give one of --nodes and --accelerators",
                    field="nodes",
                )
            count = c.nodes * hardware.per_node
    else:
        raise GoalError(
            "no cluster is named",
            "--instance-type p5.48xlarge --nodes 64, or --accelerator H100 --accelerators 512",
            field="cluster",
        )
    warnings = [f"assumed: {text}" for text in hardware.assumptions]
    return hardware, count, warnings


def location_error(region: str | None, zone: str | None, catalog: Catalog) -> GoalError | None:
    """The error in a region and a zone id; `None` if they are valid."""
    if region is None:
        if zone is None:
            return None
        return GoalError(f"zone {zone} without its region", "--region us-east-1", field="region")
    if region not in catalog.regions:
        near = get_close_matches(region, catalog.regions, n=2)
        return GoalError(
            f"unknown region {region!r}",
            f"did you mean {' or '.join(near)}?" if near else "such as us-east-1",
            field="region",
        )
    zones = sorted(catalog.zone_ids(region))
    if zone is not None and zones and zone not in zones:
        return GoalError(
            f"the catalogue knows no zone {zone} in {region}",
            f"known: {', '.join(zones)}",
            field="availability_zone_id",
        )
    return None


def not_offered(instance_type: str, region: str | None, catalog: Catalog) -> GoalError | None:
    """The error of a type that its region does not offer, with regions that do; else `None`."""
    if region is None:
        return None
    unknown = location_error(region, None, catalog)
    if unknown is not None:
        return unknown
    offered = catalog.offering(instance_type, region)
    if isinstance(offered, Unknown) or offered.value:
        return None
    others = [
        name
        for name in sorted(catalog.regions)
        if isinstance(found := catalog.offering(instance_type, name), Known) and found.value
    ]
    where = ", ".join(others[:6]) or "no region of the catalogue"
    return GoalError(
        f"{instance_type} is not offered in {region} ({offered.source}, {offered.date})",
        f"it is offered in {where}",
        field="region",
    )


def unknown_offering(
    instance_type: str | None, region: str | None, catalog: Catalog
) -> str | None:
    """A sentence if no source states whether the region offers the type; else `None`."""
    if region is None or instance_type is None:
        return None
    offered = catalog.offering(instance_type, region)
    if isinstance(offered, Known):
        return None
    return f"whether {region} offers {instance_type} is unknown: {offered.reason}"


def training_for(goal: Goal, shape: ModelShape) -> Training:
    """Optimizer state and trainable share of a goal."""
    return memory.training_of(goal.kind, goal.optimizer, shape, lora_rank=goal.lora_rank)


def best_option(
    inputs: Inputs,
    hardware: Hardware,
    accelerators: int,
    training: Training,
    *,
    may_idle: bool = False,
) -> Option:
    """Every layout that fits on a number of accelerators, fastest first.

    Parameters
    ----------
    may_idle:
        As of `layouts.grid`.

    Raises
    ------
    GoalError
        None fits, or the batch is too small; the hint has a remedy.
    """
    option, reason = try_option(inputs, hardware, accelerators, training, may_idle=may_idle)
    if option is None:
        raise _impossible(inputs, hardware, accelerators, training, reason)
    return option


def try_option(
    inputs: Inputs,
    hardware: Hardware,
    accelerators: int,
    training: Training,
    *,
    may_idle: bool = False,
) -> tuple[Option | None, str]:
    """Like `best_option`, with a reason instead of an exception."""
    shape = inputs.shape
    if accelerators > hardware.per_node and hardware.scale_out_gbytes_per_s <= 0:
        return None, f"{NO_NETWORK} of {hardware.name} with {hardware.per_node} accelerators each"
    grid = layouts.grid(
        shape,
        hardware,
        accelerators,
        seq_len=inputs.seq_len,
        batch_tokens=inputs.batch_tokens,
        may_idle=may_idle,
    )
    if len(grid) == 0:
        return None, (
            f"{human(inputs.batch_tokens)} tokens per step are {TOO_FEW} of "
            f"{inputs.seq_len:,} tokens for {counted(accelerators, 'accelerator')}"
        )
    every = grid
    grid, parts = memory.fitting(
        shape,
        grid,
        seq_len=inputs.seq_len,
        memory_gib=hardware.memory_gib,
        training=training,
    )
    if len(grid) == 0:
        least = _least_bytes(shape, every, inputs.seq_len, training) / memory.GIB
        return None, (
            f"the smallest layout needs {least:,.0f} GiB per accelerator, and "
            f"{hardware.accelerator} has {hardware.memory_gib:g} GiB, of which 10 % stay free"
        )
    return _timed(inputs, hardware, grid, accelerators, parts, training), ""


def _timed(
    inputs: Inputs,
    hardware: Hardware,
    grid: Grid,
    accelerators: int,
    memory_parts: layouts.Floats,
    training: Training,
) -> Option:
    """The layouts of a grid, fastest first."""
    seconds = step.times(
        inputs.shape,
        hardware,
        grid,
        calibration.constants(),
        seq_len=inputs.seq_len,
        precision=inputs.precision,
        conditions=step.Conditions(tuned=uncertainty.MEDIAN_TUNED, imbalance=1.15),
        trainable_share=training.trainable_share,
    )
    tokens = grid.data * grid.micro_batch * grid.accumulation * inputs.seq_len
    order = np.argsort(seconds.sum(axis=0) / tokens, kind="stable")
    nodes = math.ceil(accelerators / hardware.per_node)
    return Option(hardware, nodes, accelerators, grid, seconds, memory_parts, order)


def _least_bytes(shape: ModelShape, grid: Grid, seq_len: int, training: Training) -> float:
    """Bytes of the layout with the smallest footprint, all layers recomputed."""
    full = replace(grid, recompute=np.full(len(grid), float(layouts.FULL)))
    parts = memory.by_part(shape, full, seq_len=seq_len, training=training)
    return float(parts.sum(axis=0).min())


def work_of(option: Option, inputs: Inputs, training: Training, rank: int = 0) -> Work:
    """The layout of a rank (0 is the fastest), prepared for sampling."""
    return uncertainty.work_of(
        inputs.shape,
        option.hardware,
        option.grid,
        int(option.order[rank]),
        seq_len=inputs.seq_len,
        precision=inputs.precision,
        accelerators=option.accelerators,
        constants=calibration.constants(),
        trainable_share=training.trainable_share,
    )


def candidate_of(option: Option, inputs: Inputs, rank: int = 0) -> Candidate:
    """A candidate with the layout of a rank, without days."""
    column = int(option.order[rank])
    return Candidate(
        hardware=option.hardware,
        nodes=option.nodes,
        accelerators=option.accelerators,
        layout=option.grid.layout(column),
        memory=memory.memory_of(option.memory_parts, column, option.hardware.memory_gib),
        frameworks=frameworks(inputs.shape, option.hardware),
        step=step.step_of(
            option.parts,
            column,
            shape=inputs.shape,
            hardware=option.hardware,
            grid=option.grid,
            seq_len=inputs.seq_len,
            precision=inputs.precision,
        ),
    )


def efa_off(
    option: Option, inputs: Inputs, training: Training, goal: Goal, days: Quantiles
) -> EfaOff | None:
    """The same nodes without EFA; `None` for one node, or without an instance type.

    Parameters
    ----------
    days:
        With EFA, of the fastest layout.
    """
    hardware = option.hardware
    if option.nodes < 2 or hardware.instance_type is None:
        return None
    if hardware.has_efa is False:
        return EfaOff(days, reason=f"{hardware.name} has no EFA: the days are without EFA")
    # The same layouts fit, in another order.
    slow = _timed(
        inputs,
        without_efa(hardware),
        option.grid,
        option.accelerators,
        option.memory_parts,
        training,
    )
    found = uncertainty.assumptions(
        inputs.shape, hardware, option.nodes, recovery=goal.recovery, stack=goal.stack
    )
    with_efa = uncertainty.median_days(work_of(option, inputs, training), inputs.tokens, found)
    without = uncertainty.median_days(work_of(slow, inputs, training), inputs.tokens, found)
    return EfaOff(days.scaled(max(1.0, without / with_efa)))


def node_counts(hardware: Hardware, limit: int = ACCELERATORS_MAX) -> list[int]:
    """Accelerator counts to try: powers of two of nodes, or of whole UltraServers."""
    unit = max(hardware.per_node, hardware.scale_up_size)
    found = [unit]
    if hardware.scale_out_gbytes_per_s <= 0:
        return found
    while found[-1] * 2 <= limit:
        found.append(found[-1] * 2)
    return found


def _choose(
    inputs: Inputs,
    hardware: Hardware,
    training: Training,
    goal: Goal,
    deadline_hours: float | None,
) -> Option:
    days_max = deadline_hours / 24 if deadline_hours else DEFAULT_RUN_DAYS
    best: tuple[float, Option] | None = None
    reason, too_few = "", 0

    def timed(count: int) -> tuple[float, Option | None, str]:
        option, why = try_option(inputs, hardware, count, training)
        if option is None:
            return math.inf, None, why
        days = outcome_of(option, inputs, training, goal).days.at(goal.deadline_at)
        return days, option, ""

    for count in node_counts(hardware):
        days, option, why = timed(count)
        if option is None:
            reason = reason or why
            if best is not None:
                break
            too_few = count
            continue
        if best is None or days < best[0]:
            best = (days, option)
        if days <= days_max:
            unit = max(hardware.per_node, hardware.scale_up_size)
            least = fewest(lambda n: timed(n)[0] <= days_max, too_few, count, unit)
            return timed(least)[1] or option
        too_few = count
    if best is None:
        raise _impossible(inputs, hardware, ACCELERATORS_MAX, training, reason)
    return best[1]


def smallest_option(inputs: Inputs, hardware: Hardware, training: Training) -> Option | None:
    """The fewest accelerators of a type on which the model fits; `None` if it never fits."""
    for count in node_counts(hardware):
        option, _ = try_option(inputs, hardware, count, training)
        if option is not None:
            return option
    return None


def _impossible(
    inputs: Inputs, hardware: Hardware, accelerators: int, training: Training, reason: str
) -> GoalError:
    """The error of a model that does not fit, with a hint at what would."""
    if TOO_FEW in reason:
        return GoalError(
            f"the run cannot be spread over {counted(accelerators, 'accelerator')}: {reason}",
            f"--batch-tokens {accelerators * inputs.seq_len} (a sequence for each), or fewer "
            "accelerators",
            field="batch_tokens",
        )
    if NO_NETWORK in reason:
        return GoalError(
            f"{accelerators:,} accelerators are more than one node: {reason}",
            f"--network-gbps 400 (of a node), and --per-node if it is not {hardware.per_node}",
            field="cluster",
        )
    smallest = smallest_option(inputs, hardware, training)
    hint = "an accelerator with more memory, a smaller model, or --kind lora"
    if smallest is not None:
        hint = (
            f"at least {smallest.nodes} x {hardware.name} ({hardware.per_node} accelerators each)"
        )
    return GoalError(
        f"{human(inputs.shape.params)} parameters do not fit on "
        f"{counted(accelerators, 'accelerator')} of {hardware.name}: {reason}",
        hint,
        field="cluster",
    )


def _token_samples(inputs: Inputs, drawn: Mapping[str, layouts.Floats]) -> layouts.Floats:
    """Days relative to the median number of tokens, if the tokens are a range."""
    size = len(next(iter(drawn.values())))
    if inputs.tokens_low == inputs.tokens_high:
        return np.ones(size)
    spread = Quantiles(inputs.tokens_low / inputs.tokens, 1.0, inputs.tokens_high / inputs.tokens)
    assumption = Assumption("tokens", "tokens of the text", "x", spread, "log-normal", "", "")
    rng = np.random.default_rng(len(drawn))
    return uncertainty.quantile(assumption, rng.permutation(uncertainty.strata(size)))


def _candidates(
    option: Option,
    inputs: Inputs,
    training: Training,
    goal: Goal,
    estimate: Estimate,
    found: tuple[Assumption, ...],
    rates: Mapping[int, float],
) -> tuple[Candidate, ...]:
    """The chosen layout, then the next ones that differ in more than the micro-batch.

    Of measured layouts the measured throughput is compared, of others that of the step model.
    """
    first = candidate_of(option, inputs)
    notes = []
    smallest = smallest_option(inputs, option.hardware, training)
    if smallest is not None and smallest.accelerators < option.accelerators:
        layout = smallest.grid.layout(int(smallest.order[0]))
        notes.append(
            f"fits from {counted(smallest.accelerators, 'accelerator')} on: {layout.text}"
        )
    chosen = replace(
        first,
        days=estimate.days,
        accelerator_hours=estimate.accelerator_hours,
        in_run_mfu=estimate.in_run_mfu,
        goodput=estimate.goodput,
        chosen=True,
        notes=tuple(notes),
        efa_off=efa_off(option, inputs, training, goal, estimate.days),
    )
    answers = [chosen]
    assert first.layout is not None
    seen = {_family(first)}
    fastest = uncertainty.median_days(work_of(option, inputs, training), inputs.tokens, found)
    # Megatron-LM runs no fully sharded layout, so that one of the others is always there.
    sharded = option.grid.sharding[option.order] == layouts.FSDP
    for rank in range(1, len(option.order)):
        full = len(answers) > ALTERNATIVES
        if full and sharded[rank]:
            continue
        other = candidate_of(option, inputs, rank)
        if _family(other) in seen:
            continue
        seen.add(_family(other))
        rate = rates.get(int(option.order[rank]))
        if rate is not None:
            ratio = rates[int(option.order[0])] / rate
            note = f"{ratio - 1:.0%} slower, measured"
        else:
            work = work_of(option, inputs, training, rank)
            ratio = uncertainty.median_days(work, inputs.tokens, found) / fastest
            note = f"{ratio - 1:.0%} slower: {_why(first, other)}"
            if ratio < 1:
                note = f"not measured; {1 - ratio:.0%} faster by the step model"
        answers.append(
            replace(
                other,
                days=Quantiles(
                    estimate.days.p10 * ratio, estimate.days.p50 * ratio, estimate.days.p90 * ratio
                ),
                notes=(note,),
                efa_off=chosen.efa_off,
            )
        )
        if len(answers) > ALTERNATIVES and not all(map(_fully_sharded, answers)):
            break
    return tuple(answers)


def _fully_sharded(candidate: Candidate) -> bool:
    return candidate.layout is not None and candidate.layout.sharding == "fsdp"


def _family(candidate: Candidate) -> tuple[int | str, ...]:
    layout = candidate.layout
    assert layout is not None
    return (layout.tensor, layout.pipeline, layout.context, layout.expert, layout.sharding)


def _why(first: Candidate, other: Candidate) -> str:
    """The part of a step that slows the other layout most, relative to the chosen one."""
    assert first.step is not None
    assert other.step is not None
    ours, theirs = first.step, other.step
    more = {
        name: theirs.parts[name] / theirs.tokens - ours.parts[name] / ours.tokens
        for name in ours.parts
    }
    name = max(more, key=lambda key: more[key])
    return f"more time in {name}"


def _notes(
    option: Option,
    inputs: Inputs,
    hardware: Hardware,
    deadline_hours: float | None,
    estimate: Estimate,
) -> list[str]:
    notes = []
    layout = option.grid.layout(int(option.order[0]))
    idle = option.accelerators - layout.accelerators
    if idle:
        why = "no layout uses them all"
        if idle > 0.1 * option.accelerators:
            enough_tokens = option.accelerators * inputs.seq_len
            why = (
                f"a step of {human(inputs.batch_tokens)} tokens has no more sequences; "
                f"--batch-tokens {enough_tokens} has one for each, and training may then need "
                "more tokens"
            )
        notes.append(f"{idle:,} of {option.accelerators:,} accelerators stay idle: {why}")
    if deadline_hours is not None and estimate.days.p90 * 24 > deadline_hours:
        level = "P50" if estimate.days.p50 * 24 > deadline_hours else "P90"
        notes.append(
            f"the deadline of {deadline_hours / 24:.0f} days is missed at {level}: "
            f"{getattr(estimate.days, level.lower()):.0f} days; without a number of nodes, "
            "--deadline-at p90 chooses enough"
        )
    if hardware.accelerator == "Trn1":
        notes.append(
            "Trn1: NxD Training and the XLA flow reached end of support with Neuron 2.32, and "
            "TorchTitan Neuron takes Trn2 and Trn3 only"
        )
    if hardware.is_neuron and hardware.accelerator != "Trn1":
        notes.append(
            f"{hardware.accelerator}: no published pre-training throughput was found; the "
            "estimate is based on Trn1"
        )
    if inputs.precision == "fp8":
        notes.append(
            f"MFU is relative to the dense FP8 peak, {hardware.fp8_tflops:,.0f} TFLOPS; relative "
            f"to the BF16 peak it would be {hardware.fp8_tflops / hardware.bf16_tflops:.1f} times "
            "as high"
        )
    return notes
