"""AWS ends the Slurm version of a cluster of AWS PCS, and a newer version resumes the cluster.

At the end of life of a version PCS suspends its clusters: the controller is down, and the
instances are terminated. A deployment with a newer `pcs.slurm_version` resumes them. Only the name
of the version changes here: the machines have one Slurm.
"""

from __future__ import annotations

from typing import Any, get_args

from clusterwright.cluster_spec.models.pcs import Pcs
from clusterwright_rehearsal.platforms.pcs.context import PcsContext
from clusterwright_rehearsal.scenario_api import jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 250
SECONDS = 90
MODES = ("pcs",)

PROMISES = {
    "suspended": "the cluster, its groups and queues are SUSPENDED, and no instance runs",
    "resumed": "a deployment with a newer version starts the controller and every node again",
    "kept": "accounting has the job that ran before",
}


def run(context: ScenarioContext) -> None:
    assert isinstance(context, PcsContext)
    version = str(_cluster(context)["scheduler"]["version"])
    versions = get_args(Pcs.model_fields["slurm_version"].annotation)
    if version == versions[-1]:
        context.skip(f"no version is newer than {version}")
    newer = versions[versions.index(version) + 1]
    job = context.submit("hostname")
    job.wait("COMPLETED", within_s=60)

    with context.promise("suspended"):
        context.end_version(version)
        seconds = context.wait_for(lambda: _not_suspended(context), within_s=60)
        context.note(f"after {seconds:.0f} s")
        context.wait_for(lambda: _still_there(context), within_s=30)

    context.deploy(lambda spec: _set_version(spec, newer))
    with context.promise("resumed"):
        context.expect(_cluster(context)["status"] == "ACTIVE", str(_cluster(context)["status"]))
        found = _cluster(context)["scheduler"]["version"]
        context.expect(found == newer, f"its version is {found}")
        context.wait_idle(within_s=180)
        jobs.expect_job(context, context.compute[-1])

    with context.promise("kept"):
        if context.cluster.slurm.accounting.kind != "managed":
            context.skip("the cluster has no accounting")
        shown = context.slurm(f"sacct -nPX -j {job.id} -o State").strip()
        context.expect(shown == "COMPLETED", f"sacct says {shown!r} of job {job.id}")


def _cluster(context: PcsContext) -> dict[str, Any]:
    pcs = context.aws("pcs")
    found: dict[str, Any] = pcs.get_cluster(clusterIdentifier=context.cluster.environment)
    return dict(found["cluster"])


def _not_suspended(context: PcsContext) -> str | None:
    pcs, name = context.aws("pcs"), context.cluster.environment
    groups = pcs.list_compute_node_groups(clusterIdentifier=name)["computeNodeGroups"]
    queues = pcs.list_queues(clusterIdentifier=name)["queues"]
    statuses = {one["name"]: one["status"] for one in [_cluster(context), *groups, *queues]}
    return None if set(statuses.values()) == {"SUSPENDED"} else str(statuses)


def _still_there(context: PcsContext) -> str | None:
    names = [node.name for node in context.nodes()]
    return f"there are still {', '.join(names)}" if names else None


def _set_version(spec: dict[str, Any], version: str) -> None:
    spec["pcs"] = {**(spec.get("pcs") or {}), "slurm_version": version}
