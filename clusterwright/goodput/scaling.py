"""Throughput by number of nodes, from the logs of runs of different sizes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.goodput.accounting import JobRecord
from clusterwright.goodput.attempts import NamedLog, attempts_of, step_median
from clusterwright.goodput.collectives import WHAT, InspectorFile, collective_times, nodes_text
from clusterwright.goodput.report import Prices, RecordedPlan, mfu_of, quantiles, tokens_per_step
from clusterwright.goodput.results import (
    KNEE_EFFICIENCY,
    AcceptedBandwidth,
    CollectiveTime,
    Comparison,
    ScalingPlan,
    ScalingPoint,
    ScalingReport,
    Unknown,
    plain,
)


@dataclass(frozen=True)
class _Run:
    path: str
    numbers: tuple[str, ...]
    nodes: int
    step_seconds: float | None
    tokens_per_second: float | None
    tokens_per_step: int | None


def scaling_report(
    cluster: Cluster,
    logs: Sequence[NamedLog],
    records: Sequence[JobRecord],
    *,
    file: str,
    prices: Prices,
    plan: RecordedPlan | None,
    further: Sequence[RecordedPlan] = (),
    acceptance: Sequence[AcceptedBandwidth] = (),
    inspector: Sequence[InspectorFile] | None = None,
    unknown: Sequence[Unknown] = (),
) -> ScalingReport:
    """One point for each number of nodes; several runs of a size give their median.

    The number of nodes of a log is that of its job in the accounting, otherwise its number of
    processes by the accelerators of a node.

    Parameters
    ----------
    further:
        Plans of the same training for other numbers of nodes.
    inspector:
        Files of NCCL Inspector; None where none were given.
    unknown:
        What the acceptance lacks.
    """
    unknown = list(unknown)
    runs = [run for log in logs if (run := _run(log, records, prices, plan, unknown)) is not None]
    if not runs:
        unknown.append(Unknown("throughput", "no log has step lines and a number of nodes"))
    plans = [plan, *further] if plan else further
    predicted, refused = _predicted(plans, prices, unknown)
    base: float | None = None
    points = []
    for nodes in sorted({run.nodes for run in runs}):
        own = [run for run in runs if run.nodes == nodes]
        speed = _median(run.tokens_per_second for run in own)
        per_node = None if speed is None else speed / nodes
        base = per_node if base is None else base
        accelerators = nodes * prices.accelerators if prices.accelerators else None
        points.append(
            ScalingPoint(
                nodes=nodes,
                runs=len(own),
                tokens_per_second=speed,
                step_seconds=_median(run.step_seconds for run in own),
                mfu=mfu_of(speed, accelerators, prices, plan),
                efficiency=per_node / base if per_node is not None and base else None,
                usd_per_billion_tokens=_usd(nodes, speed, prices),
                files=tuple(run.path for run in own),
                tokens_per_step=_one(run.tokens_per_step for run in own),
                predicted_tokens_per_second=predicted.get(nodes),
            )
        )
    unknown += _without_prediction(points, plan, refused)
    if plan is None:
        reason = "there is no plan, which has the FLOPs of a token and the accelerator's peak"
        unknown.append(Unknown("MFU", reason, "--plan NAME.plan.json"))
    if prices.usd_per_node_hour is None:
        unknown.append(Unknown("dollars per billion tokens", prices.reason))
    collectives = _collectives(inspector, runs, records, unknown)
    knee = next(
        (p.nodes for p in points if p.efficiency is not None and p.efficiency < KNEE_EFFICIENCY),
        None,
    )
    return ScalingReport(
        file,
        cluster.environment,
        tuple(points),
        knee,
        tuple(unknown),
        instance_type=prices.instance_type,
        workload=plan.workload if plan else None,
        acceptance=tuple(acceptance),
        plan=_beside(plan, points, prices),
        collectives=collectives,
    )


def _predicted(
    plans: Sequence[RecordedPlan], prices: Prices, unknown: list[Unknown]
) -> tuple[dict[int, float], int]:
    """Tokens per second by the first plan of each number of nodes, and how many cannot be used."""
    found: dict[int, float] = {}
    file_of: dict[int, str] = {}
    refused = 0
    for plan in plans:
        nodes, speed = _nodes_of(plan, prices), plan.tokens_per_second
        planned = plan.chosen.get("instance_type")
        reason = None
        if planned is None:
            reason = "it has no chosen candidate with an instance type"
        elif planned != prices.instance_type:
            ours = prices.instance_type
            reason = f"it is for {planned}, {f'the cluster has {ours}' if ours else prices.reason}"
        elif plan.workload != plans[0].workload:
            reason = f"it is of another training than {plans[0].file}"
        elif nodes is None:
            reason = "it states no whole number of the cluster's nodes"
        elif speed is None:
            reason = "it states no throughput, or an impossible one"
        elif nodes in found:
            same = f"{file_of[nodes]}, which comes first, is for {nodes_text([nodes])} too"
            unknown.append(Unknown(f"throughput of {plan.file}", same))
        else:
            found[nodes], file_of[nodes] = speed, plan.file
        if reason is not None:
            refused += 1
            unknown.append(Unknown(f"throughput of {plan.file}", reason))
    return found, refused


def _without_prediction(
    points: Sequence[ScalingPoint], plan: RecordedPlan | None, refused: int
) -> list[Unknown]:
    """The numbers of nodes whose throughput no plan predicts."""
    lacking = [
        point.nodes
        for point in points
        if point.tokens_per_second is not None and point.predicted_tokens_per_second is None
    ]
    if not lacking:
        return []
    what = "knee against the plan" if plan is None else f"prediction on {nodes_text(lacking)}"
    usable = "no plan that can be used" if refused else "no plan"
    reason = "there is no plan" if plan is None else f"{usable} is for this number of nodes"
    hint = "--plan FILE for each: `clusterwright plan ... --nodes N --format json > FILE`"
    return [Unknown(what, reason, hint)]


def _nodes_of(plan: RecordedPlan, prices: Prices) -> int | None:
    """The plan's number of nodes of the cluster."""
    total = plain(plan.quantity("accelerators"))
    if not total or not prices.accelerators or total % prices.accelerators:
        return None
    return int(total) // prices.accelerators


def _collectives(
    inspector: Sequence[InspectorFile] | None,
    runs: Sequence[_Run],
    records: Sequence[JobRecord],
    unknown: list[Unknown],
) -> tuple[CollectiveTime, ...]:
    if inspector is None:
        if runs:
            unknown.append(
                Unknown(WHAT, "no files of NCCL Inspector were given", "--inspector DIR")
            )
        return ()
    nodes_of: dict[str, set[int]] = {}
    for run in runs:
        for number in run.numbers:
            nodes_of.setdefault(number, set()).add(run.nodes)
    for record in records:
        if record.nodes:
            nodes_of.setdefault(record.job_id, set()).add(record.nodes)
    found, more = collective_times(inspector, nodes_of, {run.nodes for run in runs})
    unknown += more
    return found


def _beside(
    plan: RecordedPlan | None, points: Sequence[ScalingPoint], prices: Prices
) -> ScalingPlan | None:
    nodes = _nodes_of(plan, prices) if plan else None
    if plan is None or nodes is None:
        return None
    measured = next((point.mfu for point in points if point.nodes == nodes), None)
    return ScalingPlan(
        plan.file, nodes, Comparison(measured, *quantiles(plan.quantity("in_run_mfu")))
    )


def _run(
    named: NamedLog,
    records: Sequence[JobRecord],
    prices: Prices,
    plan: RecordedPlan | None,
    unknown: list[Unknown],
) -> _Run | None:
    if not named.log.steps:
        return None
    counts = {r.nodes for r in records if r.job_id in named.numbers and r.nodes}
    world, per_node = named.log.settings.world_size, prices.processes
    if not counts and world and per_node and world % per_node == 0:
        counts = {world // per_node}
    if len(counts) != 1:
        reason = "neither the accounting nor the log states its number of nodes"
        unknown.append(Unknown(f"nodes of {named.path}", reason, "--sacct FILE"))
        return None
    nodes = counts.pop()
    seconds = step_median(attempts_of([named], []))
    tokens = tokens_per_step([named], plan)
    if tokens is None or seconds is None:
        reason = (
            "no line states batch and sequence length"
            if tokens is None
            else "step lines have neither a time stamp nor a duration"
        )
        unknown.append(Unknown(f"throughput of {named.path}", reason))
    speed = tokens / seconds if tokens and seconds else None
    return _Run(named.path, named.numbers, nodes, seconds, speed, tokens)


def _one(values: Iterable[int | None]) -> int | None:
    """The value that all have; None if they differ."""
    found = set(values)
    return found.pop() if len(found) == 1 else None


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _usd(nodes: int, tokens_per_second: float | None, prices: Prices) -> float | None:
    if not tokens_per_second or prices.usd_per_node_hour is None:
        return None
    return nodes * prices.usd_per_node_hour / 3600 / tokens_per_second * 1e9
