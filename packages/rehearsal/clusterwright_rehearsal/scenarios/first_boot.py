"""From CreateCluster to nodes that take jobs.

The deployment has just ended; nothing was done to the nodes since.
"""

from __future__ import annotations

import re

from clusterwright_rehearsal.nodes.hardware import hardware_of
from clusterwright_rehearsal.scenario_api.context import Stage

ORDER = 0
MODES = ("managed", "scripted", "parallelcluster")
ANY_SCRIPTS = True

PROMISES = {
    "running": "every node is Running, and its lifecycle script exited with 0",
    "logged": "the last line of every node's script is in CloudWatch Logs",
    "idle": "every compute node is idle in Slurm, in its partition, with its accelerators",
    "steps": "no step of the node program failed",
    "first-job": "a job over all compute nodes ends well",
}


def play(stage: Stage) -> None:
    with stage.promise("running"):

        def not_running() -> str | None:
            found = stage.api_nodes()
            broken = {
                name: entry["InstanceStatus"].get("Message", "no message")
                for name, entry in found.items()
                if entry["InstanceStatus"]["Status"] == "Failure"
            }
            stage.expect(not broken, "; ".join(f"{n}: {why}" for n, why in broken.items()))
            wanted = sum(group.count for group in stage.cluster.compute)
            states = [entry["InstanceStatus"]["Status"] for entry in found.values()]
            if len(states) == wanted and set(states) == {"Running"}:
                return None
            return f"{states.count('Running')} of {wanted} nodes are Running"

        stage.wait_for(not_running, within_s=600)

    with stage.promise("logged"):
        for node in stage.nodes():
            lines = stage.logs(node)
            stage.expect(lines, f"the log of {node} is empty")
            # Scripts that are not ours may end as they like.
            stage.expect(
                not stage.ours or "is ready" in lines[-1],
                f"the log of {node} ends with {lines[-1]!r}",
            )

    with stage.promise("idle"):
        stage.settle(within_s=60)
        partitions = {
            group: partition.name
            for partition in stage.cluster.slurm.partitions
            for group in partition.groups
        }
        for node in stage.compute:
            shown = stage.slurm(f"scontrol --oneliner show node {node.host}")
            wanted = partitions.get(node.group) if stage.ours else None
            stage.expect(
                wanted is None or f"Partitions={wanted}" in shown.replace(",", " Partitions="),
                f"{node.host} is not in partition {wanted}: {shown}",
            )
            count = hardware_of(stage.facts(node.name)["instance_type"]).accelerator_count
            stage.expect(
                not count or re.search(rf"Gres=(gpu|neuron):([\w-]+:)?{count}\b", shown),
                f"{node.host} should have {count} accelerators: {shown}",
            )

    with stage.promise("steps"):
        for node in stage.nodes():
            failed = [line for line in stage.logs(node) if '"status": "failed"' in line]
            stage.expect(not failed, f"{node}: {failed[:1]}")

    with stage.promise("first-job"):
        # A job runs in one partition: where no partition has all nodes, it takes several.
        jobs = {
            partition: stage.submit(
                "srun hostname", nodes=len(hosts), options=[f"--partition={partition}"]
            )
            for partition, hosts in _covering(stage).items()
        }
        ran: set[str] = set()
        for job in jobs.values():
            job.wait("COMPLETED", within_s=60)
            ran |= set(job.output().split())
        wanted_hosts = {node.host for node in stage.compute}
        stage.expect(
            ran == wanted_hosts,
            f"jobs in {', '.join(jobs)} ran on {sorted(ran)}, not on {sorted(wanted_hosts)}",
        )


def _covering(stage: Stage) -> dict[str, set[str]]:
    """Partitions that have every node between them, the largest first."""
    found: dict[str, set[str]] = {}
    there = {node.host for node in stage.compute}
    for line in stage.slurm("sinfo -h -N -o '%R %N'").splitlines():
        partition, _, host = line.strip().partition(" ")
        # ParallelCluster's dynamic nodes are named, and are not there until a job asks for them.
        if host.strip() in there:
            found.setdefault(partition, set()).add(host.strip())
    covering: dict[str, set[str]] = {}
    for partition, hosts in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        if hosts - set().union(*covering.values()):
            covering[partition] = hosts
    return covering
