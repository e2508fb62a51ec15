"""The cluster grows and shrinks through `cdk deploy` while a job runs.

In the managed configuration HyperPod tells Slurm. In the scripted one the controller notices by
itself what HyperPod's agent writes there, and nobody runs a script on it.
"""

from __future__ import annotations

from typing import Any

from clusterwright_rehearsal.scenario_api.context import Job, Stage

ORDER = 200

PROMISES = {
    "grows": "more nodes are born, join their partition and take jobs; a running job goes on",
    "shrinks": "the nodes go away again, Slurm forgets them; a running job goes on",
}


def play(stage: Stage) -> None:
    group = stage.compute[0].group
    count = next(g.count for g in stage.cluster.compute if g.name == group)
    more = min(2, count + 1)
    stays = stage.nodes(group=group)[0]
    job = stage.submit("sleep 600", options=[f"--nodelist={stays.host}"])
    job.wait("RUNNING", within_s=60)

    with stage.promise("grows"):
        stage.deploy(lambda spec: _set_count(spec, group, count + more))
        stage.wait_for(lambda: _idle(stage, group, count + more), within_s=180)
        hosts = ",".join(node.host for node in stage.nodes(group=group)[count:])
        test = stage.submit("srun hostname", nodes=more, options=[f"--nodelist={hosts}"])
        test.wait("COMPLETED", within_s=60)
        _went_on(stage, job)

    with stage.promise("shrinks"):
        stage.deploy(lambda spec: _set_count(spec, group, count))
        stage.wait_for(lambda: _idle(stage, group, count), within_s=120)

        def too_many() -> str | None:
            known = stage.slurm("scontrol --oneliner show nodes").count("NodeName=")
            total = len(stage.compute)
            return (
                None if known == total else f"Slurm knows {known} nodes, the cluster has {total}"
            )

        stage.wait_for(too_many, within_s=60)
        _went_on(stage, job)
    job.cancel()


def _went_on(stage: Stage, job: Job) -> None:
    """While slurmctld reads its files anew it may not answer; a restart would be counted."""
    stage.wait_for(
        lambda: None if job.state == "RUNNING" else "the job that ran before is not running",
        within_s=20,
    )
    restarts = job.show().get("Restarts")
    stage.expect(restarts == "0", f"the job that ran before was restarted {restarts} times")


def _set_count(spec: dict[str, Any], group: str, count: int) -> None:
    for entry in spec["compute"]:
        if entry["name"] == group:
            entry["count"] = count


def _idle(stage: Stage, group: str, count: int) -> str | None:
    nodes = stage.nodes(group=group)
    if len(nodes) != count:
        return f"{group} has {len(nodes)} nodes, not {count}"
    states = {node.host: node.slurm_state() for node in nodes}
    wrong = {h: s for h, s in states.items() if s not in ("idle", "allocated", "mixed")}
    return f"{wrong}" if wrong else None
