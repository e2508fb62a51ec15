"""MLPerf: what its jobs share: settings, checks by the rules, the forecast, the batch script.

The forecast is made of two things: how many sequences the reference's runs needed with the batch
(`mlperf_rules`), and how long the planner expects this cluster to need for them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clusterwright.job_templates import slurm
from clusterwright.job_templates.mlperf_rules import (
    CHECKER,
    Benchmark,
    RuleError,
    expected,
    learning_rate,
)
from clusterwright.job_templates.settings import Setting, SettingError
from clusterwright.job_templates.template import Context, RefusedError
from clusterwright.sizing.errors import GoalError
from clusterwright.sizing.goal import parse
from clusterwright.sizing.offers import offers
from clusterwright.sizing.plan_types import Quantiles

SOURCE: Final = (
    "mlcommons/training_policies, training_rules.adoc (2026-05-14); the package mlperf-logging "
    "4.1.68, compliance_checker and rcp_checker"
)
_SAMPLES: Final = 1024
"""Of the planner's Monte Carlo."""
_OTHERS: Final = (
    Setting(
        "learning_rate", "number", "Peak learning rate.  [default: of the rules or the reference]"
    ),
    Setting("runs", "count", "Runs of the array, one after another.  [default: of a submission]"),
    Setting(
        "checker",
        "path",
        f"Folder of a Python environment with {CHECKER}.  [default: environments/mlperf-logging "
        "on the file system]",
    ),
    Setting(
        "clear_caches",
        "flag",
        "Clear the page caches of the nodes before a run, with sudo; without it a result is not "
        "fit for submission.",
        default="yes",
    ),
)


def settings(data: str) -> tuple[Setting, ...]:
    """The settings of a benchmark; `data` says what the folder has."""
    return (
        Setting("data", "path", data, required=True),
        Setting(
            "batch",
            "count",
            "Global batch in sequences.  [default: the smallest of the reference's that the nodes "
            "divide]",
        ),
        *_OTHERS,
    )


@dataclass(frozen=True)
class Run:
    """What the rules and the nodes make of the settings.

    Attributes
    ----------
    batch, rate:
        Global batch in sequences, and its peak learning rate.
    replicas:
        Data-parallel ranks; None if the layout of the reference is unknown.
    """

    benchmark: Benchmark
    batch: int
    rate: float
    runs: int
    replicas: int | None

    @property
    def evaluation_steps(self) -> int:
        """Steps between evaluations."""
        return math.ceil(self.benchmark.evaluate_every / self.batch)

    @property
    def most_steps(self) -> int:
        """Steps after which a run counts as one that does not converge.

        Twice those of the slowest run of the reference's with the largest batch up to this one.
        """
        points = self.benchmark.points
        known = [each for each in points if each <= self.batch] or [min(points)]
        slowest = max(points[max(known)].samples[-2:-1])
        return math.ceil(2 * slowest * max(1, self.batch / max(known)) / self.batch)


def run_of(context: Context, benchmark: Benchmark, replica: int | None) -> Run:
    """The run. Raises RefusedError, SettingError.

    Parameters
    ----------
    replica:
        Accelerators of one replica of the model; None if unknown.
    """
    world = context.nodes * context.target.accelerators
    job = context.template.name
    if replica is not None and world % replica:
        raise RefusedError(
            f"{job}: a replica of the model has {replica} accelerators, and {context.nodes} nodes "
            f"have {world}",
            f"--set nodes={max(1, world // replica * replica // context.target.accelerators)}",
        )
    replicas = world // replica if replica is not None else None
    legal = list(benchmark.rates or benchmark.points)
    fitting = [batch for batch in legal if batch % (replicas or 1) == 0]
    stated = context.optional("batch")
    if stated is None and not fitting:
        raise RefusedError(
            f"{job}: {replicas} replicas of the model divide none of the batches "
            f"{', '.join(map(str, legal))}",
            "another number of nodes",
        )
    batch = int(stated or fitting[0])
    if replicas is not None and batch % replicas:
        raise RefusedError(
            f"{job}: a global batch of {batch} does not divide by {replicas} replicas of the "
            "model",
            "another number of nodes"
            if not fitting
            else f"--set batch={fitting[0]}, or another number of nodes",
        )
    rate = context.optional("learning_rate")
    try:
        found = learning_rate(benchmark, batch, float(rate) if rate is not None else None)
    except RuleError as error:
        raise SettingError(f"{job}: {error}", error.hint) from None
    return Run(benchmark, batch, found, context.optional("runs") or benchmark.runs, replicas)


def notes(context: Context, run: Run) -> tuple[str, ...]:
    """The forecast in sentences, and what the checker will be asked. Raises RefusedError."""
    benchmark = run.benchmark
    first = (
        f"{benchmark.name}, ruleset {benchmark.ruleset} of {CHECKER}: batch {run.batch}, learning "
        f"rate {run.rate:g}, an evaluation every {run.evaluation_steps} steps, target "
        f"{benchmark.target:g}; a submission has {benchmark.runs} runs"
    )
    return (first, *_forecast(context, run))


def _forecast(context: Context, run: Run) -> tuple[str, ...]:
    benchmark, target = run.benchmark, context.target
    samples = expected(benchmark, run.batch)
    if samples is None:
        smallest, largest = min(benchmark.points), max(benchmark.points)
        return (
            f"forecast unknown: no run of the reference has batch {run.batch} (they have "
            f"{smallest} to {largest}), and a submission has to bring runs of the reference",
        )
    fewest, mean, most = samples
    try:
        days, priced = _planned(context, run, mean)
    except GoalError as error:
        return (f"forecast unknown: {error.message}",)
    hours = Quantiles(24 * days.p10 * fewest / mean, 24 * days.p50, 24 * days.p90 * most / mean)
    limit = context.values["time"] / 60
    if limit < hours.p50:
        raise RefusedError(
            f"{context.template.name}: a run needs about {hours.p50:.1f} hours, and the time "
            f"limit is {limit:.1f}: it would not converge",
            f"--set time={math.ceil(60 * hours.p90)} if the partition allows it, or more nodes",
        )
    sentence = (
        f"forecast of one run: {mean:,.0f} sequences to converge ({fewest:,.0f} to {most:,.0f} in "
        f"the reference's runs), {hours.p50:.1f} hours ({hours.p10:.1f} to {hours.p90:.1f}) on "
        f"{context.nodes} {target.instance_type}"
    )
    if isinstance(priced, str):
        return (sentence, f"forecast of the money unknown: {priced}")
    per_hour, source = priced
    usd = hours.scaled(per_hour * context.nodes)
    return (
        sentence,
        f"forecast of the money: {usd.p50:,.0f} USD a run ({usd.p10:,.0f} to {usd.p90:,.0f}), "
        f"{run.runs * usd.p50:,.0f} for {run.runs} runs, at {per_hour:g} USD an hour of a node, "
        f"{target.group.capacity.kind}{source}",
    )


def _planned(
    context: Context, run: Run, sequences: float
) -> tuple[Quantiles, tuple[float, str] | str]:
    """The planner's days, and the rate of a node with the user's source, or why it is unknown.

    Raises GoalError.
    """
    from clusterwright.sizing.estimate import plan  # with NumPy, which most jobs do not need

    benchmark, cluster, target = run.benchmark, context.cluster, context.target
    goal = parse(
        {
            "model": benchmark.model,
            "tokens": sequences * benchmark.seq_len,
            "seq_len": benchmark.seq_len,
            "batch_tokens": run.batch * benchmark.seq_len,
            "cluster": {"instance_type": target.instance_type, "nodes": context.nodes},
        }
    )
    found = plan(goal, context.catalog, samples=_SAMPLES)
    assert context.today is not None
    kind = target.group.capacity.kind
    priced = offers(
        found.chosen,
        [kind],
        context.catalog,
        region=cluster.region,
        today=context.today,
        platform=cluster.platform,
    )
    rate = priced[0].rate if priced else None
    if rate is None or rate.usd_per_hour is None:
        reason = priced[0].unknown if priced else None
        return found.estimate.days, reason or f"no rate for {kind} is known"
    own = f", {rate.source}" if rate.origin == "user" else ""
    return found.estimate.days, (float(rate.usd_per_hour), own)


_CLEAR: Final = """
srun --ntasks-per-node=1 --kill-on-bad-exit=1 \
  bash -c 'sync && sudo --non-interactive /sbin/sysctl vm.drop_caches=3' ||
  fail "$EXIT_ENVIRONMENT" "page caches cannot be cleared: allow the command, or render with \
clear_caches=no"
""".strip("\n")
_BEFORE: Final = """
CHECKER={checker}
[[ -x "$CHECKER/bin/python" ]] ||
  fail "$EXIT_ENVIRONMENT" "$CHECKER has no Python: create it, and install {package} there"
RUN_PATH="{runs}/$SLURM_ARRAY_JOB_ID/$SLURM_ARRAY_TASK_ID-${{SLURM_RESTART_COUNT:-0}}"
mkdir --parents "$RUN_PATH" || fail "$EXIT_ENVIRONMENT" "$RUN_PATH cannot be created"
RESULT="$RUN_PATH/result_$((SLURM_ARRAY_TASK_ID - 1)).txt"
trap 'fail 93 "the time limit ends the run before it has converged"' USR1
# Each run has a seed of its own, which is in its log.
SEED=$((RANDOM + 1))
say "run $SLURM_ARRAY_TASK_ID of {count}, seed $SEED, in $RUN_PATH"
""".strip("\n")
_AFTER: Final = """
# The trap runs while the script waits.
wait "$STEP_PID"
{result}
[[ -s "$RESULT" ]] || fail 1 "the run has written no lines of MLPerf: see the log above"
grep --quiet '"key": "run_stop".*"status": "success"' "$RESULT" ||
  fail 93 "the run did not reach the target: $RESULT"
"$CHECKER/bin/python" -m mlperf_logging.compliance_checker --usage training \\
  --ruleset {ruleset} --log_output "$RUN_PATH/compliance.txt" "$RESULT" ||
  fail 1 "the log does not follow the rules: $RUN_PATH/compliance.txt"
say "converged: $RESULT"
""".strip("\n")


def batch_script(
    context: Context,
    run: Run,
    steps: Sequence[str],
    result: str,
    environment: Sequence[tuple[str, str]],
) -> str:
    """A batch script: an array of runs, one after another, each from the beginning.

    Parameters
    ----------
    steps:
        Lines that prepare the benchmark, then the words of the step that trains.
    result:
        The line that writes RESULT after it.
    """
    checker = context.optional("checker") or f"{context.shared_path}/environments/mlperf-logging"
    before = _BEFORE.format(
        checker=checker, package=CHECKER, runs=context.run_path, count=run.runs
    )
    clear = _CLEAR if context.values["clear_caches"] else "say 'page caches are not cleared'"
    after = _AFTER.format(ruleset=run.benchmark.ruleset, result=result)
    return slurm.script(
        context,
        "\n".join((before, clear, *steps, "STEP_PID=$!", after)),
        tasks_per_node=context.target.accelerators,
        array=f"1-{run.runs}%1",
        whole_nodes=True,
        warning=120,
        environment=(("NCCL_DEBUG", "INFO"), ("NCCL_DEBUG_SUBSYS", "INIT,NET"), *environment),
    )
