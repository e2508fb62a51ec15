"""A node is lost under a job with `srun --auto-resume=1` and under one without it.

Both jobs have `--no-requeue`. The job without the option ends with its node. The other one
restarts when the node is replaced, as AWS documents auto-resume, and continues from its
checkpoint. A step that fails on healthy nodes is not repeated; one that fails on a node with the
reason `Action:Replace` is, on the replacement. How HyperPod implements it is not public: see
`platforms/hyperpod/auto_resume.py` for the emulation.
"""

from __future__ import annotations

import time

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
    "diagnosed": "with the option, a step that fails on healthy nodes ends the job",
    "exact": "the reason `Action:Replace` with a trailing blank is ignored",
    "marked": "a step that fails on a node marked `Action:Replace` runs again on its replacement",
}
# Longer than the emulation needs to act on a reason.
_IGNORED_S = 8

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

_FAILING = """
state="{state}"
echo "start"
goal=9
if [ -e "$state.again" ]; then goal=0; else touch "$state.again"; fi
srun --auto-resume=1 bash -c '
  for i in $(seq 200); do [ -e "$0.go" ] && exit "$1"; sleep 0.2; done
  exit 9
' "$state" "$goal"
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
            context.wait_idle()

        with context.promise("diagnosed"):
            healthy = _submit_failing(context, nodes, f"{state}-healthy", go=True)
            context.wait_for(lambda: _not_ended(healthy), within_s=90)
            context.expect(
                "diagnosis NONE" in healthy.output() and healthy.output().count("start") == 1,
                f"output: {healthy.output()!r}",
            )
            context.wait_idle()

        _fail_on_a_marked_node(context, nodes, f"{state}-marked")
    finally:
        context.controller.run(f"scancel --state=RUNNING; rm -f {state} {state}-*")
        context.set_detection(4.0)
    context.wait_idle()


def _fail_on_a_marked_node(context: ScenarioContext, nodes: list[Node], state: str) -> None:
    victim = nodes[-1]
    instance = victim.instance_id
    with context.promise("exact"):
        _mark(context, victim, "Action:Replace ")
        time.sleep(_IGNORED_S)
        context.expect(victim.instance_id == instance, f"{victim.name} was replaced")
        context.slurm(f"scontrol update nodename={victim.host} state=resume")
        context.wait_idle()

    with context.promise("marked"):
        job = _submit_failing(context, nodes, state, go=False)
        job.wait("RUNNING", within_s=60)
        _mark(context, victim, "Action:Replace")
        context.controller.must(f"touch {state}.go")
        context.wait_running(victim, but=instance)
        context.wait_for(lambda: _not_completed(job), within_s=200)
        context.expect("diagnosis RETRYSTEP" in job.output(), f"output: {job.output()!r}")
        context.expect(job.output().count("start") == 2, f"output: {job.output()!r}")


def _mark(context: ScenarioContext, node: Node, reason: str) -> None:
    context.slurm(f"scontrol update nodename={node.host} state=drain reason='{reason}'")


def _submit_failing(context: ScenarioContext, nodes: list[Node], state: str, *, go: bool) -> Job:
    """Submit a job whose step fails the first time, once `state.go` exists."""
    if go:
        context.controller.must(f"touch {state}.go")
    return _submit_script(context, nodes, _FAILING.format(state=state))


def _submit(context: ScenarioContext, nodes: list[Node], state: str, option: str) -> Job:
    script = _SCRIPT.format(state=state, marker=MARKER, option=option)
    return _submit_script(context, nodes, script)


def _submit_script(context: ScenarioContext, nodes: list[Node], script: str) -> Job:
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


def _not_completed(job: Job) -> str | None:
    state = job.state
    return None if state == "COMPLETED" else f"job {job.id} is {state}"


def _not_restarted(job: Job) -> str | None:
    shown = job.show()
    if job.output().count("start ") >= 2:
        return None
    return f"job {job.id} is {shown.get('JobState')} ({shown.get('Reason')})"
