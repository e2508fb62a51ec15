"""EC2 reclaims a Spot node with a notice, and the job on it writes an emergency checkpoint.

The notice appears in the instance metadata two minutes before, as documented in the EC2 user
guide; whether the metadata of a HyperPod node shows it is not documented. The node's own service
detects it, drains the node, and sends the requested signal to the job (`--comment=spot=USR1`).
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api import jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.training import Training, train

ORDER = 145

PROMISES = {
    "told": "the job that requested it gets its signal, long before the instance is terminated",
    "whole": "its emergency checkpoint is complete on shared storage before the termination",
    "drained": "no job starts on the node any more, and the reason names the cause",
    "left-alone": "a job without the request gets no signal",
    "resumed": "the replacement takes jobs, and the next job resumes there",
}

_NEVER = 100_000
_NOTICE_S = 120.0


def run(context: ScenarioContext) -> None:
    groups = [g.name for g in context.cluster.compute if g.capacity.kind == "spot" and g.count]
    if not groups:
        context.skip("the spec has no group with Spot capacity")
    if context.cluster.resilience.node_recovery != "automatic":
        context.skip("the spec has node_recovery: none, so a lost node is not replaced")
    options = ["--comment=spot=USR1"]
    training = train(
        context, name="spot", group=groups[0], every=_NEVER, exclusive=False, options=options
    )
    try:
        _reclaim(context, training, groups[0])
    finally:
        training.clean_up()


def _reclaim(context: ScenarioContext, training: Training, group: str) -> None:
    training.job.wait("RUNNING", within_s=60)
    training.wait_starts(1, within_s=20)
    node = context.node(training.job.hosts[0])
    before = node.instance_id
    words = jobs.options_for(context, node, "--mem=100M")
    other = context.submit("trap 'echo signal' USR1; sleep 60 & wait; wait", options=words)
    try:
        with context.promise("told"):
            other.wait("RUNNING", within_s=60)
            context.worker.ask("spot_notice", node=node.name, in_seconds=_NOTICE_S)
            training.job.wait("COMPLETED", within_s=_NOTICE_S)
            found = training.steps("emergency")
            context.expect(len(found) == 1, f"its output: {training.job.output()!r}")

        with context.promise("whole"):
            output = training.job.output()
            context.expect("flushed=yes" in output, f"its output: {output!r}")
            context.expect(training.newest() == found[0], f"latest is step {training.newest()}")
            broken = training.broken_checkpoints()
            context.expect(not broken, "; ".join(broken))
            context.note(f"step {found[0]}")

        with context.promise("drained"):
            shown = context.slurm(f"scontrol --oneliner show node {node.host}")
            context.expect("DRAIN" in shown, f"{node.host}: {shown}")
            context.expect("Reason=Spot interruption: terminate at 2" in shown, shown)

        with context.promise("left-alone"):
            context.expect(other.state == "RUNNING", f"the other job is {other.state}")
            context.expect("signal" not in other.output(), "it got a signal")
    finally:
        other.cancel()

    with context.promise("resumed"):
        # A job cancelled while its node goes down would keep the node in state completing.
        context.wait_for(lambda: _not(node, "drained"), within_s=60)
        context.set_detection(0.0)
        context.crash(node)
        context.wait_running(node, but=before)
        context.set_detection(4.0)
        seconds = context.wait_for(lambda: _not(node, "idle"), within_s=60)
        context.note(f"idle {seconds:.0f} s after it was Running")
        again = train(context, name="spot", group=group, run=training.run)
        try:
            again.wait_starts(1, within_s=90)
            began = int(again.starts()[0]["step"])
            context.expect(began == found[0], f"it resumed from step {began}, not {found[0]}")
            again.stop()
            again.job.wait("COMPLETED", within_s=60)
        finally:
            again.job.cancel()


def _not(node: Node, wanted: str) -> str | None:
    state = node.slurm_state()
    return None if state == wanted else f"{node.host} is {state}, not {wanted}"
