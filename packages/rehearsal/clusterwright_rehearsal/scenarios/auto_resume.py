"""A node is lost under a job with `srun --auto-resume=1`, beside one that may not be requeued.

Both jobs say `--no-requeue`. The plain one ends with its node. The other is restarted when the
node is replaced, as AWS says of auto-resume, and goes on from its checkpoint. How HyperPod does it
is not public: `hyperpod/auto_resume.py` says what is played here.
"""

from __future__ import annotations

from clusterwright_rehearsal.platforms.hyperpod.auto_resume import MARKER
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.job import Job
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.training import group_of_two, partition_of

ORDER = 125
NEEDS_COMPUTE = 2
MODES = ("managed",)

PROMISES = {
    "marker": "every node has the folder by which job scripts know HyperPod",
    "plain": "without the option, a job that may not be requeued ends when its node is lost",
    "restarted": "with the option it is restarted on as many nodes once the node is replaced",
    "resumed": "it goes on from its checkpoint on shared storage",
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
            # Slurm shows a job that was cut short by its node as NODE_FAIL.
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
                step >= lost_at, f"it began at step {step}, the checkpoint was {lost_at}"
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
    """Lose a node once the job has made two steps; it is replaced. The step that was written."""
    job.wait("RUNNING", within_s=60)
    context.wait_for(lambda: _before(context, state, 2), within_s=30)
    instance = victim.instance_id
    step = _step(context, state)
    # HyperPod looks away until Slurm has noticed: a node that is back before that is never down.
    context.set_detection(3600.0)
    context.crash(victim)
    try:
        context.wait_for(lambda: _seen_up(victim), within_s=120)
    finally:
        context.set_detection(0.0)
    context.wait_running(victim, but=instance)
    return step


def _seen_up(node: Node) -> str | None:
    state = node.slurm_state()
    return None if state.startswith("down") else f"Slurm sees {node.name} as {state}"


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
