"""AWS PCS launches instances for jobs, and terminates them when they are idle.

A deployment lowers the minimum of a group to one instance and the idle time to some seconds. Slurm
then powers the second node down, and up again for a job that needs both.
"""

from __future__ import annotations

from typing import Any

from clusterwright_rehearsal.platforms.pcs.context import PcsContext
from clusterwright_rehearsal.scenario_api import jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.training import partition_of

ORDER = 150
SECONDS = 90
NEEDS_COMPUTE = 2
MODES = ("pcs",)
_IDLE_SECONDS = 5

PROMISES = {
    "down": "an idle instance above the minimum is terminated, and its node stays in Slurm",
    "up": "a job that needs the node launches an instance, on which our action runs first",
    "runs": "the job runs on all nodes",
}


def run(context: ScenarioContext) -> None:
    assert isinstance(context, PcsContext)
    group = context.compute[-1].group
    count = len([node for node in context.compute if node.group == group])
    context.expect(count > 1, f"group {group} has one node")
    last = f"{group}-{count}"
    before = context.node(last).instance_id
    context.deploy(lambda spec: _shrink(spec, group))
    try:
        with context.promise("down"):
            seconds = context.wait_for(lambda: _there(context, last), within_s=90)
            context.note(f"{before} after {seconds:.0f} s")
            shown = context.slurm(f"scontrol --oneliner show node {last}")
            context.expect("POWERED_DOWN" in shown or "POWERING_DOWN" in shown, shown[:300])

        with context.promise("up"):
            partition = partition_of(context, group)
            job = context.submit(
                "srun hostname",
                nodes=count,
                options=[f"--partition={partition}"] if partition else [],
            )
            seconds = context.wait_for(lambda: _not_running(context, last), within_s=150)
            fresh = context.node(last)
            lines = context.logs(fresh)
            context.expect(lines and "is ready" in lines[-1], f"its log ends with {lines[-1:]}")
            context.note(f"{fresh.instance_id} after {seconds:.0f} s")

        with context.promise("runs"):
            job.wait("COMPLETED", within_s=60)
            hosts = set(job.output().split())
            context.expect(len(hosts) == count, f"it ran on {sorted(hosts)}")
    finally:
        context.deploy(lambda spec: _restore(spec, context, group))
    context.wait_for(lambda: _not_running(context, last), within_s=150)
    context.wait_idle()
    jobs.expect_job(context, context.node(last))


def _shrink(spec: dict[str, Any], group: str) -> None:
    for entry in spec["compute"]:
        if entry["name"] == group:
            entry["min_count"] = 1
    spec["pcs"] = {**(spec.get("pcs") or {}), "scaledown_idle_seconds": _IDLE_SECONDS}


def _restore(spec: dict[str, Any], context: PcsContext, group: str) -> None:
    before = {entry.name: entry.min_count for entry in context.cluster.compute}
    for entry in spec["compute"]:
        if entry["name"] == group:
            entry.pop("min_count")
            if before[group] is not None:
                entry["min_count"] = before[group]
    assert context.cluster.pcs is not None
    spec["pcs"]["scaledown_idle_seconds"] = context.cluster.pcs.scaledown_idle_seconds


def _there(context: PcsContext, name: str) -> str | None:
    names = {node.name for node in context.nodes()}
    return f"{name} still has an instance" if name in names else None


def _not_running(context: PcsContext, name: str) -> str | None:
    for node in context.nodes():
        if node.name == name:
            phase = context.facts(name)["phase"]
            return None if phase == "running" else f"{name} is {phase}"
    return f"{name} has no instance"
