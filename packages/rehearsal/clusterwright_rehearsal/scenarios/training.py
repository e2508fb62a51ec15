"""A training with PyTorch loses nodes and its capacity, and its file system becomes full.

The job file is the one that `clusterwright render jobs --job fsdp2` writes for this cluster, with
smaller sizes. It trains a transformer of 360,000 parameters on four nodes, on the bytes of a text
of Shakespeare, with a checkpoint every 10 of 40 steps; gloo takes the place of NCCL. One run is
undisturbed. A second one is warned of the end of its capacity, continues as another job, and loses
a node in a step, in a checkpoint and while it resumes. A third one writes its checkpoints to a
file system that becomes full. A job that lost a node starts again on the fifth one. A lost node is
frozen first, because the small steps are faster than the end of an instance. The warning is sent
by scancel when the job has made some steps: the job's own timer waits for minutes.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable

from clusterwright_rehearsal.scenario_api import command_line, fsdp_job
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.fsdp_job import STEPS, FsdpRun, lost_steps
from clusterwright_rehearsal.scenario_api.job import Job
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.small_file_system import resize, small_file_system

ORDER = 150
SECONDS = 240
NEEDS_COMPUTE = fsdp_job.NODES + 1
MODES = ("managed",)
PACKAGES = fsdp_job.PACKAGES

PROMISES = {
    "trains": "the rendered file trains on four nodes, and the loss falls",
    "capacity-ends": "warned of the end of its capacity, the run saves and ends",
    "continues": "another job continues it at the next step: no step is lost",
    "node-lost-in-step": "a node is lost in a step: the run resumes from the last checkpoint",
    "node-lost-in-checkpoint": "a node is lost while a checkpoint is written: the run resumes from"
    " the one before",
    "node-lost-in-resume": "a node is lost while the run resumes: it resumes again from the same"
    " checkpoint",
    "same-curve": "every step has the loss and the learning rate of the undisturbed run",
    "file-system-full": "a checkpoint that does not fit is removed, and the one before is kept",
    "resumes-with-space": "with more space the run resumes from it, with the same curve",
    "goodput": "`clusterwright report goodput` counts the lost steps as repeated, its parts add up"
    " to the wall time, and its MFU is that of the model",
}

_FAST_S, _READINGS = 0.002, 2500
_LIMIT_S = 120.0
_ENDED = ("FAILED", "CANCELLED", "TIMEOUT", "COMPLETED", "DEADLINE")
_SMALL_MIB, _ENOUGH_MIB = 7, 64
"""A checkpoint has 4 MiB, and the run keeps two."""


def run(context: ScenarioContext) -> None:
    fsdp_job.require_pytorch(context)
    unique = context.controller.must("cat /proc/sys/kernel/random/uuid").strip()[:8]
    runs = [FsdpRun(context, f"{name}-{unique}") for name in ("whole", "lossy", "full")]
    undisturbed, disturbed, full = runs
    try:
        for each in runs:
            each.prepare()
        reference = _undisturbed(context, undisturbed)
        _capacity_ends(context, disturbed)
        _lose_nodes(context, disturbed)
        with context.promise("same-curve"):
            _expect_curve(context, disturbed, reference)
        with context.promise("goodput"):
            _report(context, disturbed)
        _fill(context, full, reference)
    finally:
        for each in runs:
            each.clean_up()
        context.set_detection(4.0)
    context.wait_idle(within_s=180)


def _undisturbed(context: ScenarioContext, training: FsdpRun) -> dict[int, str]:
    with context.promise("trains"):
        job = training.submit()
        job.wait("COMPLETED", within_s=_LIMIT_S)
        (start,) = training.starts(job)
        context.expect(
            [step for step, _ in start.curve] == list(range(1, STEPS + 1)), start.text[-500:]
        )
        losses = [float(text.split()[0]) for _, text in start.curve]
        context.expect(
            losses[-1] < losses[0] - 1, f"the loss fell from {losses[0]} to {losses[-1]} only"
        )
        context.note(f"from {losses[0]:.2f} to {losses[-1]:.2f} in {STEPS} steps")
    return dict(start.curve)


def _capacity_ends(context: ScenarioContext, training: FsdpRun) -> None:
    with context.promise("capacity-ends"):
        # Below twice the time to save before it, the job is not requeued.
        ends = time.gmtime(time.time() + 45 * 60)
        job = training.submit(
            save_minutes="25", capacity_ends=time.strftime("%Y-%m-%dT%H:%MZ", ends)
        )
        _watch(context, training, job, lambda: _steps(training, job) >= 3, "step 3")
        context.slurm(f"scancel --batch --signal=USR1 {job.id}")
        job.wait("COMPLETED", within_s=_LIMIT_S)
        (start,) = training.starts(job)
        context.expect("the capacity ends: submit the job again" in start.text, start.text[-500:])
        context.expect(
            training.whole() == start.last,
            f"it saved step {training.whole()}, and its last one was {start.last}",
        )
        context.note(f"it saved step {start.last}")


def _lose_nodes(context: ScenarioContext, training: FsdpRun) -> None:
    with context.promise("continues"):
        saved = training.whole()
        job = training.submit()
        _watch(context, training, job, lambda: _steps(training, job) >= 2, "its second step")
        start = training.starts(job)[-1]
        context.expect(start.resumed_at == saved, f"it resumed at step {start.resumed_at}")
        context.expect(start.curve[0][0] == saved + 1, f"it began with step {start.curve[0][0]}")

    with context.promise("node-lost-in-step"):
        _watch(
            context,
            training,
            job,
            lambda: training.whole() > saved and _since_save(training, job) >= 3,
            "a step after a checkpoint",
        )
        _lose(context, training, job, job.hosts[0], "the node of the batch script")

    with context.promise("node-lost-in-checkpoint"):
        before = training.whole()
        _watch(
            context,
            training,
            job,
            lambda: _steps(training, job) > 0 and training.is_saving(),
            "a checkpoint",
        )
        _lose(context, training, job, job.hosts[-1], "the last node")
        context.expect(
            training.whole() == before, f"the newest whole checkpoint is {training.whole()}"
        )

    with context.promise("node-lost-in-resume"):
        _watch(
            context,
            training,
            job,
            lambda: "Loading the checkpoint" in training.starts(job)[-1].text,
            "the resume",
        )
        _lose(context, training, job, job.hosts[1], "the second node")
        starts = training.starts(job)
        context.expect(not starts[-2].curve, f"it had made steps: {starts[-2].text[-300:]}")
        job.wait("COMPLETED", within_s=_LIMIT_S)


def _lose(context: ScenarioContext, training: FsdpRun, job: Job, host: str, which: str) -> None:
    """Lose a node of the job, which starts again; expect that it resumes correctly."""
    victim = context.node(host)
    victim.freeze()
    number, whole, instance = len(training.starts(job)), training.whole(), victim.instance_id
    # Slurm has to see the loss before the replacement registers with the same name.
    context.set_detection(3600.0)
    context.crash(victim)
    seconds = context.wait_for(lambda: _not_started(training, job, number + 1), within_s=200)
    context.set_detection(0.0)
    before, after = training.starts(job)[-2:]
    context.expect(
        after.resumed_at == whole,
        f"it resumed from {after.resumed_at}; the newest whole checkpoint was {whole}",
    )
    context.note(
        f"{which}, {victim.host}: {before.last - whole} steps lost, started again after"
        f" {seconds:.0f} s at step {whole}"
    )
    _wait_replaced(context, victim, instance)


def _wait_replaced(context: ScenarioContext, victim: Node, instance: str) -> None:
    context.wait_for(
        lambda: None if victim.instance_id != instance else f"{victim.name} is not replaced",
        within_s=120,
    )


def _fill(context: ScenarioContext, training: FsdpRun, reference: dict[int, str]) -> None:
    nodes = context.compute
    for node in nodes:
        context.wait_running(node)
    with small_file_system(context, nodes, training.checkpoints, _SMALL_MIB):
        with context.promise("file-system-full"):
            job = training.submit()
            _watch(
                context, training, job, lambda: "could not be written" in training.log(job), "it"
            )
            context.wait_for(
                lambda: None if "requeued" in training.log(job) else "it is not requeued",
                within_s=60,
            )
            left = nodes[0].must(f"ls {training.checkpoints}").split()
            context.expect(left == [f"step-{fsdp_job.SAVE_EVERY}"], f"there are {left}")
            (start,) = training.starts(job)
            context.note(f"at step {start.last}")

        with context.promise("resumes-with-space"):
            resize(nodes[0], training.checkpoints, _ENOUGH_MIB)
            job.wait("COMPLETED", within_s=_LIMIT_S)
            starts = training.starts(job)
            context.expect(
                [each.resumed_at for each in starts] == [-1, fsdp_job.SAVE_EVERY],
                f"it resumed at {[each.resumed_at for each in starts]}",
            )
            _expect_curve(context, training, reference)
            context.note(f"{lost_steps(starts)} steps lost")


def _report(context: ScenarioContext, training: FsdpRun) -> None:
    """Compare the report with the job's log."""
    folder = context.folder / "goodput"
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    for job in training.jobs:
        (folder / "logs" / f"{training.name}-{job.id}.out").write_text(training.log(job))
    plan = folder / "plan.json"
    (workers,) = (group for group in context.cluster.compute if group.role == "compute")
    plan.write_text(json.dumps(fsdp_job.plan_document(workers.instance_type)))
    words = [f"--logs={folder / 'logs'}", f"--run={training.name}", f"--plan={plan}"]
    if context.cluster.slurm.accounting.kind != "none":
        ids = ",".join(job.id for job in training.jobs)
        (folder / "jobs.json").write_text(context.slurm(f"sacct --json --duplicates -j {ids}"))
        words.append(f"--sacct={folder / 'jobs.json'}")
    report = command_line.answer(context, ["report", "goodput"], *words)
    lost = lost_steps(training.all_starts())
    steps, parts = report["steps"], report["parts"]
    context.expect(
        (steps["productive"], steps["repeated"]) == (STEPS, lost),
        f"it has {steps}, and the log {STEPS} steps and {lost} lost ones",
    )
    context.expect(
        sum(parts.values()) == report["wall_s"], f"{parts} do not add up to {report['wall_s']}"
    )
    wanted = fsdp_job.mfu(STEPS + lost, parts["productive_s"] + parts["repeated_s"])
    mfu = report["mfu"]
    context.expect(
        mfu is not None and math.isclose(mfu, wanted, rel_tol=1e-6),
        f"its MFU is {mfu}, not {wanted}",
    )
    context.note(f"MFU {mfu:.3g} at a peak of {fsdp_job.PEAK_TFLOPS:g} TFLOPS")
    shown = ", ".join(f"{name.removesuffix('_s')} {value:.0f} s" for name, value in parts.items())
    context.note(f"{lost} steps lost and repeated; {shown}; wall time {report['wall_s']:.0f} s")


def _expect_curve(context: ScenarioContext, training: FsdpRun, reference: dict[int, str]) -> None:
    different = training.curve_differences(reference)
    context.expect(not different, f"{len(different)} steps differ, such as {different[:1]}")
    made = {step for start in training.all_starts() for step, _ in start.curve}
    context.expect(made == set(reference), f"the steps are {sorted(made)}")


def _steps(training: FsdpRun, job: Job) -> int:
    """Steps of its newest start."""
    starts = training.starts(job)
    return len(starts[-1].curve) if starts else 0


def _since_save(training: FsdpRun, job: Job) -> int:
    return training.starts(job)[-1].last - training.whole()


def _not_started(training: FsdpRun, job: Job, count: int) -> str | None:
    found = len(training.starts(job))
    if found >= count:
        return None
    shown = job.show()
    return f"it started {found} times, and is {shown.get('JobState')} ({shown.get('Reason')})"


def _watch(
    context: ScenarioContext,
    training: FsdpRun,
    job: Job,
    seen: Callable[[], bool],
    what: str,
) -> None:
    """Wait for something in the job's files, which are read often: steps are fast."""

    def not_yet() -> str | None:
        for _ in range(_READINGS):
            if seen():
                return None
            time.sleep(_FAST_S)
        shown = job.show()
        state = f"job {job.id} is {shown.get('JobState')} ({shown.get('Reason')})"
        tail = training.log(job)[-600:]
        context.expect(shown.get("JobState") not in _ENDED, f"{state} before {what}: {tail!r}")
        return f"{what} was not seen: {state}: {tail!r}"

    context.wait_for(not_yet, within_s=_LIMIT_S)
