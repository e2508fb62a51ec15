"""From CreateCluster to nodes that take jobs.

This scenario runs directly after the deployment.
"""

from __future__ import annotations

import re

from clusterwright_rehearsal.nodes.hardware import hardware_of
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.job_files import job_files, refused_by_slurm

ORDER = 0
SECONDS = 5
DEFAULT = True
MODES = ("managed", "scripted", "parallelcluster", "pcs")
ANY_SCRIPTS = True

PROMISES = {
    "running": "every node is Running, and its lifecycle script exited with 0",
    "logged": "the last line of every node's script is in its log: CloudWatch Logs, on PCS a file",
    "idle": "every compute node is idle in Slurm, in its partition, with its accelerators",
    "steps": "no step of the node program failed",
    "first-job": "a job on all compute nodes completes",
    "job-files": "`sbatch --test-only` accepts every job file that `render jobs` writes for the"
    " cluster",
}


def run(context: ScenarioContext) -> None:
    with context.promise("running"):

        def not_running() -> str | None:
            found = context.api_nodes()
            broken = {
                name: entry["InstanceStatus"].get("Message", "no message")
                for name, entry in found.items()
                if entry["InstanceStatus"]["Status"] == "Failure"
            }
            context.expect(not broken, "; ".join(f"{n}: {why}" for n, why in broken.items()))
            wanted = sum(group.count for group in context.cluster.compute)
            states = [entry["InstanceStatus"]["Status"] for entry in found.values()]
            if len(states) == wanted and set(states) == {"Running"}:
                return None
            return f"{states.count('Running')} of {wanted} nodes are Running"

        context.wait_for(not_running, within_s=600)

    with context.promise("logged"):
        for node in context.nodes():
            lines = context.logs(node)
            context.expect(lines, f"the log of {node} is empty")
            # Custom scripts may end with any line.
            context.expect(
                not context.default_scripts or "is ready" in lines[-1],
                f"the log of {node} ends with {lines[-1]!r}",
            )

    with context.promise("idle"):
        context.wait_idle(within_s=60)
        partitions = {
            group: partition.name
            for partition in context.cluster.slurm.partitions
            for group in partition.groups
        }
        for node in context.compute:
            shown = context.slurm(f"scontrol --oneliner show node {node.host}")
            wanted = partitions.get(node.group) if context.default_scripts else None
            context.expect(
                wanted is None or f"Partitions={wanted}" in shown.replace(",", " Partitions="),
                f"{node.host} is not in partition {wanted}: {shown}",
            )
            count = hardware_of(context.facts(node.name)["instance_type"]).accelerator_count
            context.expect(
                not count or re.search(rf"Gres=(gpu|neuron):([\w-]+:)?{count}\b", shown),
                f"{node.host} should have {count} accelerators: {shown}",
            )

    with context.promise("steps"):
        for node in context.nodes():
            failed = [line for line in context.logs(node) if '"status": "failed"' in line]
            context.expect(not failed, f"{node}: {failed[:1]}")

    with context.promise("first-job"):
        # A job runs in one partition: if no partition has all nodes, several jobs are needed.
        jobs = {
            partition: context.submit(
                "srun hostname", nodes=len(hosts), options=[f"--partition={partition}"]
            )
            for partition, hosts in _covering(context).items()
        }
        ran: set[str] = set()
        for job in jobs.values():
            job.wait("COMPLETED", within_s=60)
            ran |= set(job.output().split())
        wanted_hosts = {node.host for node in context.compute}
        context.expect(
            ran == wanted_hosts,
            f"jobs in {', '.join(jobs)} ran on {sorted(ran)}, not on {sorted(wanted_hosts)}",
        )
    _try_job_files(context)


def _try_job_files(context: ScenarioContext) -> None:
    with context.promise("job-files"):
        if not context.default_scripts:
            context.note("custom scripts may name other partitions")
            return
        files = job_files(context.cluster)
        context.expect(files, "no job file could be rendered")
        refused = refused_by_slurm(context, files)
        context.expect(not refused, "; ".join(refused))
        context.note(f"{len(files)} files")


def _covering(context: ScenarioContext) -> dict[str, set[str]]:
    """Partitions that together contain every node, the largest first."""
    found: dict[str, set[str]] = {}
    there = {node.host for node in context.compute}
    for line in context.slurm("sinfo -h -N -o '%R %N'").splitlines():
        partition, _, host = line.strip().partition(" ")
        # ParallelCluster's dynamic nodes are listed, but start only for a job.
        if host.strip() in there:
            found.setdefault(partition, set()).add(host.strip())
    covering: dict[str, set[str]] = {}
    for partition, hosts in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        if hosts - set().union(*covering.values()):
            covering[partition] = hosts
    return covering
