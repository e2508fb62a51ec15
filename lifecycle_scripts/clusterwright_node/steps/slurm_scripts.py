"""Add the health checks to Slurm's prolog and epilog, on ParallelCluster.

`Prolog` and `Epilog` of its slurm.conf are `/opt/slurm/etc/scripts/prolog.d/*` and `epilog.d/*`
(cookbook, slurm.conf.erb), and CustomSlurmSettings refuses both keys (aws-parallelcluster 3.16.1,
validators/slurm_settings_validator.py): so a file is added to each folder, on the head node, whose
/opt/slurm every node mounts. The step `health` installs the programs on each compute node before
ParallelCluster starts slurmd there. If one is missing the prolog fails, Slurm drains the node, and
clustermgtd replaces it.
"""

from __future__ import annotations

from clusterwright_node import slurm_health
from clusterwright_node.errors import StepError
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("not_built",)
DEADLINE_SECONDS = 60
RETRIES = 1

FOLDER = "/opt/slurm/etc/scripts"
FILES = {
    FOLDER + "/prolog.d/50_clusterwright": slurm_health.PROLOG,
    FOLDER + "/epilog.d/50_clusterwright": slurm_health.EPILOG,
}
"""Programs by file. ParallelCluster's own files begin with 90."""
_MODE = 0o755


def applies(node: Node) -> Verdict:
    if not node.is_parallelcluster:
        return skip("slurm.conf names the programs, or a timer runs them")
    return APPLIES if node.is_controller else skip("the head node does it for every node")


def check(node: Node) -> Verdict:
    for path, program in FILES.items():
        found = node.machine.read_text(path)
        if not _is_asked_for(node):
            if found is not None:
                return missing(f"{path} exists, although the step health is disabled")
        elif found != _text(program) or node.machine.mode_of(path) != _MODE:
            return missing(f"{path} is missing or outdated")
    return SATISFIED


def apply(node: Node) -> None:
    for path, program in FILES.items():
        if not _is_asked_for(node):
            if node.machine.exists(path):
                node.machine.remove(path)
            continue
        folder = path.rpartition("/")[0]
        if not node.machine.exists(folder):
            raise StepError(
                f"{folder} of ParallelCluster's slurm.conf does not exist",
                "check the release of ParallelCluster in the image",
            )
        if not node.machine.has_text(path, _text(program), _MODE):
            node.machine.write_text(path, _text(program), mode=_MODE)


def _is_asked_for(node: Node) -> bool:
    settings = node.inputs.cluster.node_steps.get(slurm_health.STEP)
    return settings is None or settings.enabled


def _text(program: str) -> str:
    return f"#!/bin/sh\n# Written by clusterwright_node.\nexec {program}\n"
