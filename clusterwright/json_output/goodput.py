"""The JSON output of `clusterwright report goodput`."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from clusterwright.goodput.results import TICKS, GoodputReport
from clusterwright.json_output.base import (
    Count,
    Envelope,
    NotNegative,
    Number,
    Output,
    at,
    field,
    json_text,
)


def _seconds(ticks: Any) -> Any:
    return ticks / TICKS if isinstance(ticks, int) else ticks


def _time(value: Any) -> Any:
    if isinstance(value, float) and 0 <= value < 1e11:
        return dt.datetime.fromtimestamp(value, dt.UTC)
    return value


Time = Annotated[dt.datetime | None, BeforeValidator(_time)]
FromTicks = Annotated[Number, BeforeValidator(_seconds)]


class PartsOutput(Output):
    """Seconds by part: multiples of 1/8, so that their sum is exactly `wall_s`."""

    queue_s: NotNegative = field("From submission to the job's start.")
    boot_s: NotNegative = field("From the job's start to the program's first line.")
    start_s: NotNegative = field("From the first line to the first step.")
    productive_s: NotNegative = field("Steps that the run kept.")
    repeated_s: NotNegative = field("Steps that were lost and done again.")
    checkpoint_s: NotNegative = field("Blocked by saving.")
    stalled_s: NotNegative = field("Above four steps longer than usual, unexplained.")
    down_s: NotNegative = field("From the last step to the next submission.")


class StepsOutput(Output):
    """Training steps."""

    productive: Count = field("Done and kept.")
    repeated: Count = field("Done, lost and done again.")
    first: Count | None = field("Steps done before the first log.")
    last: Count | None = field("The last step in the logs.")


class ComparisonOutput(Output):
    """A measure beside the plan's interval."""

    measured: NotNegative | None = field("Of the run.")
    p10: NotNegative | None = field("Of the plan.")
    p50: NotNegative | None = field("Of the plan.")
    p90: NotNegative | None = field("Of the plan.")
    verdict: Literal["below", "within", "above", "unknown"] = field("Where the run lies.")


class PlanOutput(Output):
    """The plan beside the run."""

    file: str = field("The plan's file.")
    accelerators: Count | None = field("Of the plan.")
    goodput: ComparisonOutput = field("Share of the time that makes progress.")
    mfu: ComparisonOutput = field("While training.")
    usd_per_billion_tokens: ComparisonOutput = field("Compute alone.")
    tokens_per_second: ComparisonOutput = field("Of the whole run, lost time included.")


class AttemptOutput(Output):
    """One start of the program."""

    job_id: str | None = field("Slurm's id; null without accounting.")
    file: str | None = field("Its log.")
    state: str | None = field("Slurm's state of the job.")
    nodes: Count | None = field("Nodes of the job.")
    resumed_at: Count | None = field("Steps done before it.")
    last_step: Count | None = field("The last step in its log.")
    kept_steps: Count = field("Steps that the run kept.")
    lost_steps: Count = field("Steps that were done again.")


class SpanOutput(Output):
    """A part of the timeline."""

    begin_s: FromTicks = field("Seconds since 1970.", validation_alias="begin")
    end_s: FromTicks = field("Seconds since 1970.", validation_alias="end")
    part: str = field("Its part, without `_s`.")
    attempt: Count = field("Index of the attempt.")


class UnknownOutput(Output):
    """What could not be answered."""

    what: str = field("The part.")
    reason: str = field("Why it is unknown.")
    hint: str | None = field("What would answer it.")


class RemarkOutput(Output):
    """Evidence that is incomplete or contradictory."""

    code: str = field("A stable word, such as `steps-missing`.")
    message: str = field("In a sentence.")


class WorkloadOutput(Output):
    """What was trained, by the plan."""

    model: str | None = field("Name of the model.")
    params: NotNegative | None = field("Its parameters.")
    seq_len: Count | None = field("Tokens of a sequence.")
    precision: str | None = field("Precision of the matrix products.")
    kind: str | None = field("Kind of training.")


class CheckpointsOutput(Output):
    """What the folder of --checkpoints has."""

    count: Count = field("Complete checkpoints; older ones may have been deleted.")
    newest_step: Count | None = field("Of the one with the most steps; null without one.")
    newest_written: Time = field("When its last file was written.")
    unsaved_steps: Count | None = field(
        "Steps of the last attempt that it does not have: lost if the run ends now."
    )


class GoodputOutput(Envelope):
    """Where the time of a training run went."""

    command: Literal["report goodput"] = "report goodput"
    file: str = field("The file of the spec.")
    environment: str = field("The cluster's name.")
    run: str | None = field("The run.")
    framework: str = field("Of the logs; `unknown` where no step line is known.")
    wall_s: NotNegative | None = field("Seconds of the run; null where no step has a time.")
    wall_from: Time = field("When it begins.")
    wall_to: Time = field("When it ends.")
    parts: PartsOutput | None = field("Null where no step has a time.")
    goodput: NotNegative | None = at(
        "measures.goodput", "Productive time by the wall time without the queue."
    )
    ettr: NotNegative | None = at(
        "measures.ettr", "Productive time by the wall time, queue included; null without --sacct."
    )
    mfu: NotNegative | None = at(
        "measures.mfu", "Model FLOPs utilisation while training, by the plan's FLOPs per token."
    )
    whole_run_mfu: NotNegative | None = at("measures.whole_run_mfu", "With all lost time.")
    tokens: Count | None = at("measures.tokens", "Of productive steps.")
    tokens_per_second: NotNegative | None = at(
        "measures.tokens_per_second", "While training: of all steps by their time."
    )
    whole_run_tokens_per_second: NotNegative | None = at(
        "measures.whole_run_tokens_per_second", "Productive tokens by the time without the queue."
    )
    step_seconds: NotNegative | None = at("measures.step_seconds", "Mean of all steps.")
    usd: NotNegative | None = at("measures.usd", "Nodes by the time without the queue.")
    usd_per_billion_tokens: NotNegative | None = at(
        "measures.usd_per_billion_tokens", "Of productive tokens."
    )
    steps: StepsOutput = field("Training steps.")
    nodes: Count | None = field("Nodes of the run.")
    accelerators: Count | None = field("Accelerators of the run.")
    instance_type: str | None = field("Of the compute nodes; null where groups differ.")
    workload: WorkloadOutput | None = field("What was trained; null without a plan.")
    tokens_per_step: Count | None = field("Tokens of a step; null where no log states them.")
    saves: Count | None = field("Checkpoints in the logs, else in the folder; null without any.")
    checkpoints: CheckpointsOutput | None = field("Null without --checkpoints.")
    plan: PlanOutput | None = field("The plan beside the run; null without a plan.")
    attempts: tuple[AttemptOutput, ...] = field("Each start of the program.")
    spans: tuple[SpanOutput, ...] = field("The timeline.")
    unknown: tuple[UnknownOutput, ...] = field("What could not be answered.")
    findings: tuple[RemarkOutput, ...] = field("Evidence that contradicts itself.")


OUTPUTS = (GoodputOutput,)


def goodput_json(report: GoodputReport) -> str:
    """The report as JSON."""
    return json_text(GoodputOutput, report, command="report goodput")
