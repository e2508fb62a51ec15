"""The nodes that Slurm has, and whether a job can start on them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance.launcher import NodeResources

_POWERED_DOWN = "~#%"
"""Marks of sinfo for nodes that are powered down, starting or stopping."""
_ACCELERATOR = re.compile(r"(?:^|,)((?:gpu|neuron):[^,(]*\d)")
"""In the Gres of a node: `gpu:8`, `gpu:h100:8(S:0-1)`."""
_CLOSED = ("down", "drain", "fail", "error", "maint", "reboot", "power", "future", "unknown")


@dataclass(frozen=True)
class SlurmNode:
    """A node. `why_not` says why no job can start on it; None where one can, now or later."""

    name: str
    partition: str
    why_not: Optional[str] = None
    powered_down: bool = False
    reservation: Optional[str] = None


def slurm_nodes(probe: Probe, wanted: Sequence[str] = ()) -> Optional[list[SlurmNode]]:
    """The nodes of the names, or all that are not powered down; None without slurmctld."""
    answer = probe.run(["sinfo", "--Node", "--noheader", "--format=%N|%R|%T"], 30.0)
    if not answer.ok:
        return None
    found: dict[str, SlurmNode] = {}
    for line in answer.stdout.splitlines():
        name, _, rest = line.strip().partition("|")
        partition, _, state = rest.partition("|")
        if name and name not in found:
            found[name] = _node(name, partition, state.strip())
    if not wanted:
        return [node for node in found.values() if not node.powered_down]
    missing = "Slurm has no compute node of this name"
    return [found.get(name, SlurmNode(name, "", missing)) for name in dict.fromkeys(wanted)]


def resources(probe: Probe) -> dict[str, NodeResources]:
    """What jobs can have of each node; nothing is known without slurmctld."""
    answer = probe.run(["scontrol", "--oneliner", "show", "nodes"], 30.0)
    found: dict[str, NodeResources] = {}
    for line in answer.stdout.splitlines() if answer.ok else []:
        values = dict(re.findall(r"(?:^|\s)(NodeName|CPUEfctv|CPUTot|Gres)=(\S+)", line))
        cpus = values.get("CPUEfctv") or values.get("CPUTot") or ""
        gres = _ACCELERATOR.search(values.get("Gres", ""))
        if "NodeName" in values:
            found[values["NodeName"]] = NodeResources(
                int(cpus) if cpus.isdigit() else 0, gres.group(1) if gres else ""
            )
    return found


def _node(name: str, partition: str, state: str) -> SlurmNode:
    if state[-1:] in _POWERED_DOWN:
        return SlurmNode(name, partition, "the node is powered down", powered_down=True)
    if state.endswith("*"):
        return SlurmNode(name, partition, "the node does not respond to slurmctld")
    if state.startswith(_CLOSED):
        word = state.rstrip("*~#!%$@^-+")
        return SlurmNode(name, partition, f"no job can start on it: its state is {word}")
    return SlurmNode(name, partition)
