"""What identifies a node of AWS PCS.

The lifecycle action `nodeBootstrapped` runs this program as root after PCS has set the instance up
and before slurmd starts (PCS user guide, cng-node-lifecycle-actions). Its last argument names the
group. Of the instance there is cloud-init's file, with which every image of PCS starts.

PCS runs slurmctld, so no node of the cluster does. What elsewhere the controller does with
Slurm's commands, the node of the first login group does (`Node.administers`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clusterwright_node.machine import Machine
from clusterwright_node.parallelcluster import INSTANCE, INSTANCE_ID

SLURM = "/opt/aws/pcs/scheduler"
"""Slurm's programs are in `slurm-<version>/bin` of it (PCS user guide, spank_install)."""


@dataclass(frozen=True)
class Here:
    """The node of this run."""

    instance_id: str
    group: str
    """The group of cluster.json that the action's arguments name."""


def read(machine: Machine, words: Sequence[str], problems: list[str]) -> Here | None:
    """Read this node's identity. `words` are the arguments after the digest: the group. Problems
    are added to `problems`.
    """
    instance_id = (machine.read_text(INSTANCE_ID) or "").strip()
    before = len(problems)
    if not INSTANCE.fullmatch(instance_id):
        problems.append(f"{INSTANCE_ID}: {instance_id or 'nothing'} is not an instance id")
    if len(words) != 1:
        problems.append(
            "the lifecycle action's arguments name {}; expected one group".format(
                ", ".join(words) or "no group"
            )
        )
    return Here(instance_id, words[0]) if len(problems) == before else None
