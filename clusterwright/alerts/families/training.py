"""Training jobs of Slurm: steps that do not come, or come later, and checkpoints."""

from __future__ import annotations

from typing import Final

from clusterwright.alerts.alert import Alert

_WITHOUT: Final = (
    "No training job may run, and not every job prints steps. If the exporter does not answer, "
    "SlurmMetricsAbsent fires."
)
_JOB: Final = "clusterwright diagnose @FILE@ job {{ $labels.job_id }}"


def _of_job(metric: str) -> str:
    """The metric by job."""
    return f'max by (cluster, partition, job_id) ({metric}{{cluster="@CLUSTER@"}})'


def _since(metric: str) -> str:
    """Seconds since the time that the metric states."""
    return f"(time() - {_of_job(metric)})"


_STEP_AGE: Final = _since("training_last_step_timestamp_seconds")
_RECENT: Final = 'training_step_seconds{cluster="@CLUSTER@"}[@RATE@]'
_EARLIER: Final = 'training_step_seconds{cluster="@CLUSTER@"}[6h] offset @RATE@'

ALERTS: Final = (
    Alert(
        name="TrainingWithoutProgress",
        severity="critical",
        for_minutes=2,
        threshold="no step line for 5 times the job's usual time between two, and for 10 minutes",
        reason="The job hangs: it holds its nodes until somebody ends it or NCCL's watchdog does.",
        summary='Job {{ $labels.job_id }} has had no step for {{ $value | printf "%.0f" }} s',
        expression=f"{_STEP_AGE} > 600 and {_STEP_AGE} > 5 * "
        + _of_job("training_step_line_interval_seconds"),
        needs=("exporter", "slurm"),
        without_data="none",
        reason_without_data=_WITHOUT,
        idle="every node of the job",
        commands=(_JOB, "clusterwright status @FILE@"),
        steps=(
            "`diagnose` reads the end of the log: a rank that died, a file system that does not "
            "answer, a collective that waits.",
            "`py-spy dump` on a rank shows where it waits, if the log does not.",
            "An evaluation or a save that takes longer than 10 minutes fires it too: it clears "
            "with the next step. Otherwise `scontrol requeue` continues from the last checkpoint.",
        ),
    ),
    Alert(
        name="StepTimeRegressed",
        severity="warning",
        for_minutes=15,
        threshold="steps take 15 % longer than the job's median of the six hours before",
        reason="Every hour of the job does less: a slow node or path holds back all the others.",
        summary="Steps of job {{ $labels.job_id }} take {{ $value | humanize }} times as long "
        "as before",
        expression=f"max by (cluster, partition, job_id) (avg_over_time({_RECENT}))"
        f" / max by (cluster, partition, job_id) (quantile_over_time(0.5, {_EARLIER})) > 1.15",
        needs=("exporter", "slurm"),
        without_data="none",
        reason_without_data=_WITHOUT,
        commands=(_JOB, "clusterwright status @FILE@"),
        steps=(
            "The dashboard of the training run shows whether one node differs: GPUs that are "
            "throttled by heat, errors of NVLink or EFA, a disk or file system at its limit.",
            "`clusterwright accept FILE --nodes NODE` measures a suspect after the job.",
            "Longer sequences or another phase of the training are no fault: the alert clears "
            "when the new time is the usual one.",
        ),
    ),
    Alert(
        name="CheckpointOverdue",
        severity="warning",
        for_minutes=5,
        threshold="the last checkpoint is older than twice the usual time between two",
        reason="A failure now repeats everything since; saves may fail without ending the job.",
        summary="The last checkpoint of job {{ $labels.job_id }} is "
        '{{ $value | printf "%.0f" }} s old',
        expression=_since("training_checkpoint_timestamp_seconds")
        + " > 2 * "
        + _of_job("training_checkpoint_interval_seconds"),
        needs=("exporter", "slurm"),
        without_data="none",
        reason_without_data=_WITHOUT,
        commands=(_JOB,),
        steps=(
            "Whether steps still come: if not, TrainingWithoutProgress fires.",
            "The log has the error of a save: a full file system, a quota, permissions.",
        ),
    ),
)
