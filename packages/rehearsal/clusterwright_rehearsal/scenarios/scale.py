"""`cdk deploy` increases and reduces the cluster while a job runs.

In the managed configuration HyperPod updates Slurm. In the scripted one the controller detects
what HyperPod's agent writes, without a script run. With `acceptance.hold` a job that waits for the
new nodes starts on one that is accepted: in the managed configuration slurmd registers such a node
before its scripts can announce it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from clusterwright_rehearsal.scenario_api import operator
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.job import Job
from clusterwright_rehearsal.scenario_api.jobs import options_for, partition_options
from clusterwright_rehearsal.scenario_api.node import Node

ORDER = 200
SECONDS = 60

PROMISES = {
    "grows": "new nodes are created, join their partition and take jobs; a running job continues",
    "shrinks": "the nodes are removed, also from Slurm; a running job continues",
}


def run(context: ScenarioContext) -> None:
    group = context.compute[0].group
    count = next(g.count for g in context.cluster.compute if g.name == group)
    more = min(2, count + 1)
    stays = context.nodes(group=group)[0]
    job = context.submit("sleep 600", options=options_for(context, stays, "--exclusive"))
    job.wait("RUNNING", within_s=60)

    with context.promise("grows"):
        with _nodes_in_use(context, context.nodes(group=group)[1:]):
            options = ["--exclusive", *partition_options(context, group)]
            waiting = context.submit("hostname", options=options)
            context.deploy(lambda spec: _set_count(spec, group, count + more))
            context.wait_for(lambda: _idle(context, group, count + more), within_s=180)
            waiting.wait("COMPLETED", within_s=60)
        if context.is_held:
            operator.expect_accepted_first(context, waiting)
        hosts = ",".join(node.host for node in context.nodes(group=group)[count:])
        test = context.submit("srun hostname", nodes=more, options=[f"--nodelist={hosts}"])
        test.wait("COMPLETED", within_s=60)
        _expect_continued(context, job)

    with context.promise("shrinks"):
        context.deploy(lambda spec: _set_count(spec, group, count))
        context.wait_for(lambda: _idle(context, group, count), within_s=120)

        def too_many() -> str | None:
            known = context.slurm("scontrol --oneliner show nodes").count("NodeName=")
            total = len(context.compute)
            return None if known == total else f"Slurm has {known} nodes, the cluster has {total}"

        context.wait_for(too_many, within_s=60)
        _expect_continued(context, job)
    job.cancel()


@contextlib.contextmanager
def _nodes_in_use(context: ScenarioContext, nodes: Sequence[Node]) -> Iterator[None]:
    """A job on each of these nodes, so that others have to wait for new ones."""
    jobs = [
        context.submit("sleep 600", options=options_for(context, node, "--exclusive"))
        for node in nodes
    ]
    for job in jobs:
        job.wait("RUNNING", within_s=60)
    yield
    for job in jobs:
        job.cancel()


def _expect_continued(context: ScenarioContext, job: Job) -> None:
    """The job still runs without a restart; slurmctld may be busy reading its files."""
    context.wait_for(
        lambda: None if job.state == "RUNNING" else "the earlier job is not running",
        within_s=20,
    )
    restarts = job.fields().get("Restarts")
    context.expect(restarts == "0", f"the earlier job was restarted {restarts} times")


def _set_count(spec: dict[str, Any], group: str, count: int) -> None:
    for entry in spec["compute"]:
        if entry["name"] == group:
            entry["count"] = count


def _idle(context: ScenarioContext, group: str, count: int) -> str | None:
    nodes = context.nodes(group=group)
    if len(nodes) != count:
        return f"{group} has {len(nodes)} nodes, not {count}"
    states = {node.host: node.slurm_state() for node in nodes}
    wrong = {h: s for h, s in states.items() if s not in ("idle", "allocated", "mixed")}
    return f"{wrong}" if wrong else None
