"""AWS ends the Slurm version of a cluster of AWS PCS, and a newer version resumes the cluster.

At the end of life of a version PCS suspends its clusters: the controller is down, and the
instances are terminated. A deployment with a newer `pcs.slurm_version` resumes them.

Two real Slurms run here: 24.11 of Debian trixie before the update, and 26.05 of forky, three major
versions later, after it. The new controller has the state and the database of the old one, and
converts them. New instances have another image: an image of PCS has several versions side by side,
which these packages do not allow, because both install the same paths.
"""

from __future__ import annotations

import re
from typing import Any, get_args

from clusterwright.cluster_spec.models.pcs import Pcs
from clusterwright_rehearsal.platforms.pcs.context import PcsContext
from clusterwright_rehearsal.scenario_api import jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 250
SECONDS = 90
MODES = ("pcs",)
NEWER_SLURM = True

PROMISES = {
    "suspended": "the cluster, its groups and queues are SUSPENDED, and no instance runs",
    "resumed": "a deployment with a newer version starts controller and nodes with that Slurm",
    "kept": "accounting, whose database it has converted, has the job that ran before",
}


def run(context: ScenarioContext) -> None:
    assert isinstance(context, PcsContext)
    version = str(_cluster(context)["scheduler"]["version"])
    newer = str(get_args(Pcs.model_fields["slurm_version"].annotation)[-1])
    if version == newer:
        context.skip(f"no version is newer than {version}")
    if _is(newer, before := _slurmctld(context)):
        context.skip(f"the controller has Slurm {before} already: use --slurm trixie")
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
        after = _slurmctld(context)
        context.expect(_is(newer, after), f"slurmctld is {after}")
        for line in context.slurm("sinfo -h -N -o '%N %v'").splitlines():
            context.expect(_is(newer, line.split()[1]), f"slurmd of {line}")
        next_job = jobs.submit_to_node(context, context.compute[-1])
        next_job.wait("COMPLETED", within_s=60)
        # Without its former state slurmctld would begin at 1.
        context.expect(int(next_job.id) > int(job.id), f"job {next_job.id} after {job.id}")
        context.note(f"from Slurm {before} to {after}")

    with context.promise("kept"):
        if context.cluster.slurm.accounting.kind != "managed":
            context.skip("the cluster has no accounting")
        shown = context.slurm(f"sacct -nPX -j {job.id} -o State").strip()
        context.expect(shown == "COMPLETED", f"sacct says {shown!r} of job {job.id}")


def _slurmctld(context: PcsContext) -> str:
    """The version of the running slurmctld."""
    shown = context.slurm("scontrol show config")
    found = re.search(r"^SLURM_VERSION\s*=\s*(\S+)", shown, re.MULTILINE)
    return found.group(1) if found else "unknown"


def _is(version: str, slurm: str) -> bool:
    """Whether a Slurm (26.05.5) is of a version (26.05)."""
    return slurm.startswith(f"{version}.")


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
