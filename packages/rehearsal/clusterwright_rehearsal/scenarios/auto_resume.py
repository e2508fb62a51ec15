"""A node is lost under a job with `srun --auto-resume=1` and under one without it.

Both jobs have `--no-requeue`. The job without the option ends with its node. The other one
restarts when the node is replaced, as AWS documents auto-resume, and continues from its
checkpoint. How HyperPod implements it is not public: see `platforms/hyperpod/auto_resume.py` for
the emulation.
"""

from __future__ import annotations

from clusterwright_rehearsal.platforms.hyperpod.auto_resume import MARKER
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.job import Job
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.training import group_of_two, partition_of

ORDER = 125
SECONDS = 60
NEEDS_COMPUTE = 2
MODES = ("managed",)

PROMISES = {
    "marker": "every node has the folder by which job scripts detect HyperPod",
    "plain": "without the option, a job with `--no-requeue` ends when its node is lost",
    "restarted": "with the option it restarts on the same number of nodes when the node is"
    " replaced",
    "resumed": "it continues from its checkpoint on shared storage",
}

_SCRIPT = """
state="{state}"
option=""
[ -d {marker} ] && option="{option}"
echo "start nodes=$SLURM_NNODES step=$(cat "$state" 2>/dev/null || echo 0)"
srun $option bash -c '
  [ "$SLURM_PROCID" = 0 ] || exec sleep 600
  step=$(cat "$0" 2>/dev/null || echo 0)
  while :; do step=$((step + 1)); echo $step >"$0.new"; mv "$0.new" "$0"; sleep 0.5; done
' "$state"
"""


def run(context: ScenarioContext) -> None:
    group = group_of_two(context)
    with context.promise("marker"):
        without = [n.name for n in context.nodes() if not n.run(f"test -d {MARKER}").ok]
        context.expect(not without, f"{', '.join(without)} have no {MARKER}")

    state = f"{context.shared_folder}/auto-resume-{context.compute[0].instance_id}"
    nodes = context.nodes(group=group)[:2]
    try:
        with context.promise("plain"):
            plain = _submit(context, nodes, f"{state}-plain", "")
            _lose(context, plain, f"{state}-plain", nodes[-1])
            # Slurm shows a job that lost its node as NODE_FAIL.
            context.wait_for(lambda: _not_ended(plain), within_s=120)
            context.expect(plain.output().count("start ") == 1, f"output: {plain.output()!r}")
            context.wait_idle()

        with context.promise("restarted"):
            job = _submit(context, nodes, state, "--auto-resume=1")
            lost_at = _lose(context, job, state, nodes[-1])
            seconds = context.wait_for(lambda: _not_restarted(job), within_s=200)
            context.note(f"{seconds:.0f} s after the new instance was Running")
            starts = [line for line in job.output().splitlines() if line.startswith("start ")]
            context.expect(f"nodes={len(nodes)} " in starts[1], f"output: {job.output()!r}")

        with context.promise("resumed"):
            step = int(starts[1].rpartition("=")[2])
            context.expect(
                step >= lost_at,
                f"it resumed from step {step}, but the checkpoint was at {lost_at}",
            )
            context.wait_for(lambda: _before(context, state, step + 2), within_s=30)
            context.note(f"at step {step}; {lost_at} when the node was lost")
            job.cancel()
    finally:
        context.controller.run(f"scancel --state=RUNNING; rm -f {state} {state}-plain")
        context.set_detection(4.0)
    context.wait_idle()


def _submit(context: ScenarioContext, nodes: list[Node], state: str, option: str) -> Job:
    script = _SCRIPT.format(state=state, marker=MARKER, option=option)
    hosts = ",".join(node.host for node in nodes)
    options = ["--no-requeue", "--exclusive", f"--nodelist={hosts}"]
    partition = partition_of(context, nodes[0].group)
    options += [f"--partition={partition}"] if partition else []
    return context.submit(script, nodes=len(nodes), options=options)


def _lose(context: ScenarioContext, job: Job, state: str, victim: Node) -> int:
    """Lose a node after two steps of the job and wait for its replacement; return the step."""
    job.wait("RUNNING", within_s=60)
    context.wait_for(lambda: _before(context, state, 2), within_s=30)
    instance = victim.instance_id
    step = _step(context, state)
    # Delay the replacement until Slurm has detected the loss; an early one is never down.
    context.set_detection(3600.0)
    context.crash(victim)
    try:
        context.wait_for(lambda: _still_up(victim), within_s=120)
    finally:
        context.set_detection(0.0)
    context.wait_running(victim, but=instance)
    return step


def _still_up(node: Node) -> str | None:
    state = node.slurm_state()
    return None if state.startswith("down") else f"Slurm shows {node.name} as {state}"


def _step(context: ScenarioContext, state: str) -> int:
    return int(context.controller.run(f"cat {state} 2>/dev/null || echo 0").stdout.strip() or 0)


def _before(context: ScenarioContext, state: str, step: int) -> str | None:
    now = _step(context, state)
    return None if now >= step else f"the checkpoint is at step {now}"


def _not_ended(job: Job) -> str | None:
    state = job.state
    return None if state in ("NODE_FAIL", "FAILED") else f"job {job.id} is {state}"


def _not_restarted(job: Job) -> str | None:
    shown = job.show()
    if job.output().count("start ") >= 2:
        return None
    return f"job {job.id} is {shown.get('JobState')} ({shown.get('Reason')})"
