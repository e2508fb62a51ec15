"""The controller keeps a spare node free of jobs, and releases it when another node is lost.

The service runs once at each point, with one spare for the group of the scenario, instead of every
30 seconds: rehearsed specs need not have spares.
"""

from __future__ import annotations

import re

from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.job import Job
from clusterwright_rehearsal.scenario_api.training import partition_of

ORDER = 44
SECONDS = 30
NEEDS_COMPUTE = 2
MODES = ("managed",)

PROMISES = {
    "kept": "one node is reserved, and no job starts on it",
    "released": "when another node is drained, the waiting job starts on the spare",
    "kept-again": "when that node is back, one node is reserved again, and the job continues",
    "removed": "without spares in the spec, the reservation is deleted",
}

_SERVICE = "clusterwright-state.service"


def run(context: ScenarioContext) -> None:
    group = context.compute[-1].group
    nodes = [node for node in context.compute if node.group == group]
    context.expect(len(nodes) >= 2, f"group {group} has {len(nodes)} node")
    context.controller.must(f"systemctl stop {_SERVICE}")
    try:
        with context.promise("kept"):
            context.wait_for(lambda: _not_one_reserved(context, group), within_s=30)
            (host,) = _reserved(context, group)
            spare = next(node for node in nodes if node.host == host)
            others = [node for node in nodes if node is not spare]
            partition = partition_of(context, group)
            options = [f"--nodelist={spare.host}"]
            options += [f"--partition={partition}"] if partition else []
            job = context.submit("sleep 60", options=options)
            context.wait_for(lambda: _not_waiting(job), within_s=20)

        with context.promise("released"):
            lost = others[0]
            context.controller.must(
                f"scontrol update nodename={lost.host} state=drain reason=rehearsal"
            )
            context.wait_for(lambda: _not_running(context, job, group), within_s=30)
            context.expect(job.hosts == [spare.host], f"job {job.id} runs on {job.hosts}")

        with context.promise("kept-again"):
            context.controller.must(f"scontrol update nodename={lost.host} state=resume")
            context.wait_for(lambda: _not_one_reserved(context, group), within_s=30)
            reserved = _reserved(context, group)
            context.expect(reserved != [spare.host], f"the node with the job is reserved: {spare}")
            context.expect(job.state == "RUNNING", f"job {job.id} is {job.state}")

        with context.promise("removed"):
            _look(context)
            reserved = _reserved(context, group)
            context.expect(not reserved, f"reserved: {reserved}")
            job.cancel()
    finally:
        context.controller.run(f"scontrol delete reservation={_reservation(group)}")
        for node in nodes:
            context.controller.run(f"scontrol update nodename={node.host} state=resume")
        context.controller.must(f"systemctl start {_SERVICE}")
        context.wait_idle()


def _reservation(group: str) -> str:
    return f"clusterwright_spares_{group}"


def _reserved(context: ScenarioContext, group: str) -> list[str]:
    """The hosts of the group's reservation: a node that the hold of acceptance has is no spare."""
    shown = context.slurm("scontrol --oneliner show reservation")
    found = re.search(rf"ReservationName={_reservation(group)} .*? Nodes=(\S+)", shown)
    if found is None:
        return []
    return context.slurm(f"scontrol show hostnames {found.group(1)}").split()


# slurmctld shows a changed state of nodes some seconds later, so the service looks repeatedly
# here, as it does every 30 seconds on a cluster.


def _not_one_reserved(context: ScenarioContext, group: str) -> str | None:
    _look(context, f"--spares={group}=1")
    found = _reserved(context, group)
    return None if len(found) == 1 else f"reserved: {found}"


def _not_running(context: ScenarioContext, job: Job, group: str) -> str | None:
    _look(context, f"--spares={group}=1")
    return None if job.state == "RUNNING" else f"job {job.id} is {job.state}"


def _not_waiting(job: Job) -> str | None:
    """None if the job waits for the end of the reservation."""
    reason = str(job.show().get("Reason"))
    return None if "reserv" in reason.lower() else f"job {job.id} is {job.state} ({reason})"


def _look(context: ScenarioContext, *options: str) -> None:
    """Run the service's program once, with these options for spares instead of its own."""
    unit = context.controller.must(f"systemctl cat {_SERVICE}")
    (command,) = [
        line.partition("=")[2] for line in unit.splitlines() if line.startswith("ExecStart=")
    ]
    words = [word for word in command.split() if not word.startswith("--spares=")]
    context.controller.must(" ".join([*words, *options, "--once"]))
