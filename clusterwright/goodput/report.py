"""The report of a run: its timeline, measures, and the plan beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.goodput.accounting import JobRecord
from clusterwright.goodput.attempts import Attempt, NamedLog, assign, attempts_of
from clusterwright.goodput.checkpoints import Checkpoint, add_saves, folder_result
from clusterwright.goodput.results import (
    AttemptResult,
    Comparison,
    GoodputReport,
    Measures,
    PlanComparison,
    Remark,
    Steps,
    Unknown,
    Workload,
    plain,
)
from clusterwright.goodput.timeline import Timeline, timeline

SECONDS_PER_DAY = 86_400


@dataclass(frozen=True)
class Prices:
    """USD per node and hour of the cluster's compute nodes; None if unknown, with the reason.

    `accelerators` and training `processes` are those of one node, None if unknown;
    `instance_type` is None where groups differ.
    """

    instance_type: str | None
    accelerators: int | None
    usd_per_node_hour: float | None
    reason: str = ""
    processes: int | None = None


@dataclass(frozen=True)
class RecordedPlan:
    """The JSON output of `clusterwright plan`, and its file."""

    file: str
    document: Mapping[str, Any]

    @property
    def chosen(self) -> Mapping[str, Any]:
        """The chosen candidate; empty if the document has none."""
        found = self.document.get("candidates")
        for candidate in found if isinstance(found, list) else ():
            if isinstance(candidate, Mapping) and candidate.get("chosen"):
                return candidate
        return {}

    @property
    def flops_per_token(self) -> float | None:
        """FLOPs of a token as the planner counts them: those of the run by its tokens."""
        flops = plain(self.document.get("training_flops"))
        tokens = plain(self.document.get("tokens"))
        return flops / tokens if flops and tokens else None

    @property
    def peak_tflops(self) -> float | None:
        """Dense peak of one accelerator, 10^12 FLOP/s."""
        return plain(self.quantity("mfu_peak_tflops"))

    @property
    def tokens_per_second(self) -> float | None:
        """Of the chosen candidate while training, at the median; None if the plan states none."""
        mfu = self.quantity("in_run_mfu")
        share = plain(mfu.get("p50")) if isinstance(mfu, Mapping) else None
        count = plain(self.chosen.get("accelerators")) or plain(self.quantity("accelerators"))
        per_token, peak = self.flops_per_token, self.peak_tflops
        if not (per_token and peak and share and count) or share > 1:
            return None
        return plain(share * peak * 1e12 * count / per_token)

    @property
    def workload(self) -> Workload:
        """What the plan is for; None for what it does not state."""
        found = self.document.get("model")
        model = found if isinstance(found, Mapping) else {}
        seq_len = plain(self.document.get("seq_len"))
        return Workload(
            model=_text(model.get("name")),
            params=plain(model.get("params")),
            seq_len=None if seq_len is None else int(seq_len),
            precision=_text(self.document.get("precision")),
            kind=_text(self.document.get("kind")),
        )

    def quantity(self, name: str) -> Any:
        """A key of `estimate`."""
        estimate = self.document.get("estimate")
        return estimate.get(name) if isinstance(estimate, Mapping) else None


def goodput_report(
    cluster: Cluster,
    logs: Sequence[NamedLog],
    records: Sequence[JobRecord] | None,
    *,
    file: str,
    run: str | None,
    prices: Prices,
    plan: RecordedPlan | None,
    checkpoints: Sequence[Checkpoint] | None = None,
) -> GoodputReport:
    """Where the time of a run went.

    Parameters
    ----------
    records:
        Of the run; None without accounting.
    checkpoints:
        Complete ones of the run's folder; None where it was not read.
    """
    attempts = attempts_of(logs, records or ())
    add_saves(attempts, checkpoints or ())
    left = assign(attempts, records or ()) if records else []
    unknown = list(_unknown(logs, attempts, records, left))
    made = timeline(attempts, records or ()) if _can(attempts, records) else None
    world = next((n.log.settings.world_size for n in logs if n.log.settings.world_size), None)
    nodes = _nodes(records, world, prices.processes)
    accelerators = nodes * prices.accelerators if nodes and prices.accelerators else None
    steps = made.steps(attempts) if made else Steps(0, 0, None, None)
    measures = _measures(made, steps, logs, accelerators, nodes, prices, plan, bool(records))
    unknown += _unknown_measures(measures, logs, accelerators, nodes, prices, plan)
    absolute = made is not None and bool(records or any(not a.relative for a in attempts))
    return GoodputReport(
        file=file,
        environment=cluster.environment,
        instance_type=prices.instance_type,
        workload=plan.workload if plan else None,
        tokens_per_step=tokens_per_step(logs, plan),
        saves=_saves(attempts),
        run=run or next((r.name for r in records or () if r.name), None),
        framework=next((n.log.framework for n in logs if n.log.steps), "unknown"),
        parts=made.parts if made else None,
        wall_s=made.wall_s if made else None,
        wall_from=made.begin / 8 if made and absolute else None,
        wall_to=made.now if made and absolute else None,
        steps=steps,
        measures=measures,
        nodes=nodes,
        accelerators=accelerators,
        plan=_beside(plan, measures),
        attempts=tuple(_results(attempts, made)),
        spans=tuple(made.spans) if made else (),
        unknown=tuple(unknown),
        findings=(*(made.findings if made else ()), *_outside(left, records)),
        checkpoints=None if checkpoints is None else folder_result(attempts, checkpoints),
    )


def _saves(attempts: Sequence[Attempt]) -> int | None:
    """Checkpoints: by the end of each where the log has it, else by their beginning."""
    found = 0
    for attempt in attempts:
        kinds = [event.kind for event in attempt.events]
        found += kinds.count("save_end") or kinds.count("save_begin")
    return found or None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _can(attempts: Sequence[Attempt], records: Sequence[JobRecord] | None) -> bool:
    """Whether there is a step and every step has a time."""
    timed = all(
        time is not None
        for attempt in attempts
        for event, time in zip(attempt.events, attempt.at, strict=True)
        if event.kind == "step" and event.step is not None
    )
    mixed = records and any(a.record is None for a in attempts if a.relative)
    return timed and not mixed and any(a.steps for a in attempts)


def _unknown(
    logs: Sequence[NamedLog],
    attempts: Sequence[Attempt],
    records: Sequence[JobRecord] | None,
    left: Sequence[Attempt],
) -> list[Unknown]:
    found = []
    if not any(n.log.steps for n in logs):
        found.append(
            Unknown(
                "steps",
                "no log has a step line that is known: Megatron-LM, NeMo, torchtitan, Trainer of "
                "transformers with its progress bar, or MLPerf's MLLOG",
                "name the folder of the job's output: --logs DIR",
            )
        )
    elif any(a.relative for a in left):
        found.append(
            Unknown(
                "the job of each log",
                "the logs have no times, and names and number of the logs do not match the jobs",
                "name the job in the file: --output=%x-%j.out",
            )
        )
    elif not _can(attempts, records):
        found.append(
            Unknown(
                "times of steps",
                "step lines have neither a time stamp nor a duration",
                "write a time stamp in front of each line, as `ts` or `kubectl logs --timestamps`",
            )
        )
    if records is None:
        found.append(
            Unknown(
                "queue and boot before the first line",
                "there is no accounting: the wall time begins with the first line of a log",
                "give --sacct FILE, written by `sacct --json --duplicates --jobs ID`",
            )
        )
    elif not records:
        found.append(Unknown("jobs", "the accounting has no job of this run that started"))
    return found


def _outside(left: Sequence[Attempt], records: Sequence[JobRecord] | None) -> list[Remark]:
    names = sorted({a.path for a in left if not a.relative})
    if not names or not records:
        return []
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return [
        Remark(
            "log-outside-jobs",
            f"lines of {shown} were written when no job of the accounting ran; "
            "`sacct --duplicates` lists every run of a requeued job",
        )
    ]


def _nodes(
    records: Sequence[JobRecord] | None, world: int | None, per_node: int | None
) -> int | None:
    """Nodes of the jobs, if all had the same number; without accounting, of the processes."""
    found = {r.nodes for r in records or ()} - {None}
    if len(found) == 1:
        return found.pop()
    if not found and world and per_node and world % per_node == 0:
        return world // per_node
    return None


def _measures(
    made: Timeline | None,
    steps: Steps,
    logs: Sequence[NamedLog],
    accelerators: int | None,
    nodes: int | None,
    prices: Prices,
    plan: RecordedPlan | None,
    queue_known: bool,
) -> Measures:
    if made is None:
        return Measures()
    parts, wall = made.parts, made.wall_s
    held = wall - parts["queue_s"]
    training = parts["productive_s"] + parts["repeated_s"]
    per_step = tokens_per_step(logs, plan)
    tokens = None if per_step is None else per_step * steps.productive
    done = None if per_step is None else per_step * (steps.productive + steps.repeated)
    speed = done / training if done and training else None
    whole = tokens / held if tokens and held else None
    usd = None
    if nodes and prices.usd_per_node_hour is not None:
        usd = nodes * held / 3600 * prices.usd_per_node_hour
    return Measures(
        goodput=parts["productive_s"] / held if held else None,
        ettr=parts["productive_s"] / wall if wall and queue_known else None,
        mfu=mfu_of(speed, accelerators, prices, plan),
        whole_run_mfu=mfu_of(whole, accelerators, prices, plan),
        tokens=tokens,
        tokens_per_second=speed,
        whole_run_tokens_per_second=whole,
        step_seconds=training / (steps.productive + steps.repeated)
        if training and steps.productive + steps.repeated
        else None,
        usd=usd,
        usd_per_billion_tokens=usd / tokens * 1e9 if usd is not None and tokens else None,
    )


def tokens_per_step(logs: Sequence[NamedLog], plan: RecordedPlan | None) -> int | None:
    """Tokens of a step by the logs; the sequence length by the plan where no log states it."""
    batch = next((n.log.settings.global_batch_size for n in logs if n.log.steps), None)
    seq_len = next(
        (n.log.settings.seq_len for n in logs if n.log.steps and n.log.settings.seq_len), None
    )
    if seq_len is None and plan is not None:
        planned = plain(plan.document.get("seq_len"))
        seq_len = int(planned) if planned else None
    return batch * seq_len if batch and seq_len else None


def mfu_of(
    tokens_per_second: float | None,
    accelerators: int | None,
    prices: Prices,
    plan: RecordedPlan | None,
) -> float | None:
    """Model FLOPs utilisation with the planner's FLOPs per token and peak; None if unknown."""
    if plan is None or tokens_per_second is None or not accelerators:
        return None
    flops, peak = plan.flops_per_token, plan.peak_tflops
    if flops is None or peak is None or plan.chosen.get("instance_type") != prices.instance_type:
        return None
    return tokens_per_second * flops / (accelerators * peak * 1e12)


def _unknown_measures(
    measures: Measures,
    logs: Sequence[NamedLog],
    accelerators: int | None,
    nodes: int | None,
    prices: Prices,
    plan: RecordedPlan | None,
) -> list[Unknown]:
    if measures.goodput is None:
        return []
    found = []
    if measures.tokens_per_second is None:
        missing = (
            "the global batch size"
            if all(n.log.settings.global_batch_size is None for n in logs)
            else "the sequence length"
        )
        found.append(Unknown("tokens per second", f"no log states {missing}"))
    if measures.mfu is None:
        reason = "no log states the tokens of a step"
        if plan is None:
            reason = "there is no plan, which has the FLOPs of a token and the accelerator's peak"
        elif plan.chosen.get("instance_type") != prices.instance_type:
            reason = "the plan is for another instance type"
        elif not accelerators:
            reason = "neither the accounting nor a log states the number of accelerators"
        found.append(Unknown("MFU", reason, None if plan else "--plan NAME.plan.json"))
    if measures.usd_per_billion_tokens is None:
        reason = prices.reason or "no log states the tokens of a step"
        if nodes is None:
            reason = "neither accounting nor log states one number of nodes"
        found.append(Unknown("dollars per billion tokens", reason))
    return found


def _beside(plan: RecordedPlan | None, measures: Measures) -> PlanComparison | None:
    if plan is None:
        return None
    tokens = plain(plan.document.get("tokens"))
    usd, days = quantiles(plan.quantity("usd")), quantiles(plan.quantity("days"))
    speed = tuple(
        None if day is None or tokens is None else tokens / (day * SECONDS_PER_DAY)
        for day in reversed(days)
    )
    price = tuple(None if one is None or tokens is None else one / tokens * 1e9 for one in usd)
    accelerators = plain(plan.quantity("accelerators"))
    return PlanComparison(
        file=plan.file,
        accelerators=None if accelerators is None else int(accelerators),
        goodput=Comparison(measures.goodput, *quantiles(plan.quantity("goodput"))),
        mfu=Comparison(measures.mfu, *quantiles(plan.quantity("in_run_mfu"))),
        usd_per_billion_tokens=Comparison(measures.usd_per_billion_tokens, *price),
        tokens_per_second=Comparison(measures.whole_run_tokens_per_second, *speed),
    )


def quantiles(value: Any) -> tuple[float | None, float | None, float | None]:
    """P10, P50 and P90 of a quantity of a plan; None for what it does not state."""
    data = value if isinstance(value, Mapping) else {}
    return plain(data.get("p10")), plain(data.get("p50")), plain(data.get("p90"))


def _results(attempts: Sequence[Attempt], made: Timeline | None) -> list[AttemptResult]:
    return [
        AttemptResult(
            job_id=attempt.record.job_id if attempt.record else None,
            file=attempt.path,
            state=attempt.record.state if attempt.record else None,
            nodes=attempt.record.nodes if attempt.record else None,
            resumed_at=attempt.resumed_at,
            last_step=attempt.last_step,
            kept_steps=made.kept[index] if made else 0,
            lost_steps=made.lost[index] if made else 0,
        )
        for index, attempt in enumerate(attempts)
    ]
