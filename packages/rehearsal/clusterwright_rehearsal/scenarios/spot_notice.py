"""EC2 takes a Spot node back with a notice, and the job on it makes an emergency checkpoint first.

The notice is in the instance's metadata two minutes before, as the EC2 user guide says; whether
the metadata of a HyperPod node shows it is not documented. The node's own service sees it, drains
the node, and sends the job that asked for it (`--comment=spot=USR1`) its signal.
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.context import Node, Stage
from clusterwright_rehearsal.scenario_api.training import Training, partition_of, train

ORDER = 145

PROMISES = {
    "told": "the job that asked for it gets its signal, long before the instance goes",
    "whole": "its emergency checkpoint is whole on shared storage before the instance goes",
    "drained": "no job starts on the node any more, and the reason says why",
    "left-alone": "a job that did not ask gets no signal",
    "resumed": "the place's new instance takes jobs by itself, and the next job goes on there",
}

_NEVER = 100_000
_NOTICE_S = 120.0


def play(stage: Stage) -> None:
    groups = [g.name for g in stage.cluster.compute if g.capacity.kind == "spot" and g.count]
    if not groups:
        stage.not_for_this("the spec has no group with Spot capacity")
    if stage.cluster.resilience.node_recovery != "automatic":
        stage.not_for_this("the spec has node_recovery: none, so nobody would replace the node")
    options = ["--comment=spot=USR1"]
    training = train(
        stage, name="spot", group=groups[0], every=_NEVER, exclusive=False, options=options
    )
    try:
        _take_back(stage, training, groups[0])
    finally:
        training.take_away()


def _take_back(stage: Stage, training: Training, group: str) -> None:
    training.job.wait("RUNNING", within_s=60)
    training.wait_starts(1, within_s=20)
    node = stage.node(training.job.hosts[0])
    before = node.instance_id
    words = [f"--nodelist={node.host}", "--mem=100M"]
    words += [f"--partition={p}"] if (p := partition_of(stage, group)) else []
    other = stage.submit("trap 'echo signal' USR1; sleep 60 & wait; wait", options=words)
    try:
        with stage.promise("told"):
            other.wait("RUNNING", within_s=60)
            stage.engine.ask("spot_notice", node=node.name, in_seconds=_NOTICE_S)
            training.job.wait("COMPLETED", within_s=_NOTICE_S)
            found = training.steps("emergency")
            stage.expect(len(found) == 1, f"its output: {training.job.output()!r}")

        with stage.promise("whole"):
            output = training.job.output()
            stage.expect("flushed=yes" in output, f"its output: {output!r}")
            stage.expect(training.newest() == found[0], f"latest is step {training.newest()}")
            broken = training.broken_checkpoints()
            stage.expect(not broken, "; ".join(broken))
            stage.note(f"step {found[0]}")

        with stage.promise("drained"):
            shown = stage.slurm(f"scontrol --oneliner show node {node.host}")
            stage.expect("DRAIN" in shown, f"{node.host}: {shown}")
            stage.expect("Reason=Spot interruption: terminate at 2" in shown, shown)

        with stage.promise("left-alone"):
            stage.expect(other.state == "RUNNING", f"the other job is {other.state}")
            stage.expect("signal" not in other.output(), "it got a signal")
    finally:
        other.cancel()

    with stage.promise("resumed"):
        # What is cancelled while its node goes would keep the node completing for a while.
        stage.wait_for(lambda: _not(node, "drained"), within_s=60)
        stage.set_detection(0.0)
        stage.crash(node)
        stage.wait_running(node, but=before)
        stage.set_detection(4.0)
        seconds = stage.wait_for(lambda: _not(node, "idle"), within_s=60)
        stage.note(f"back in use {seconds:.0f} s after it was Running")
        again = train(stage, name="spot", group=group, run=training.run)
        try:
            again.wait_starts(1, within_s=90)
            began = int(again.starts()[0]["step"])
            stage.expect(began == found[0], f"it began at step {began}, not {found[0]}")
            again.stop()
            again.job.wait("COMPLETED", within_s=60)
        finally:
            again.job.cancel()


def _not(node: Node, wanted: str) -> str | None:
    state = node.slurm_state()
    return None if state == wanted else f"{node.host} is {state}, not {wanted}"
