"""Slurm's topology.conf from EC2's DescribeInstanceTopology.

Pure functions. `aws ec2 describe-instance-topology` returns for each instance its network nodes
from the top of the network to the one that connects it, and for instances of UltraServers the id
of the UltraServer (`CapacityBlockId`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from clusterwright_node.hostlist import compressed

ABSENT_PREFIX = "cw-absent-"
ROOT = "cw-root"
_UNPLACED = "cw-unplaced"


@dataclass(frozen=True)
class Place:
    """The location of an instance: `path` from the top down, empty if EC2 has none."""

    path: tuple[str, ...]
    block: str | None


@dataclass(frozen=True)
class Topology:
    """The topology for Slurm. `absent` nodes are names without a machine, see `block`."""

    plugin: str
    text: str
    absent: tuple[str, ...] = ()


def parse_answer(value: object) -> dict[str, Place]:
    """The locations by instance id, from the JSON of describe-instance-topology.

    Raises ValueError if the JSON has another form.
    """
    if not isinstance(value, dict) or not isinstance(value.get("Instances"), list):
        raise ValueError("no list `Instances`")
    places = {}
    for entry in value["Instances"]:
        if not isinstance(entry, dict) or not isinstance(entry.get("InstanceId"), str):
            raise ValueError("an instance without `InstanceId`")
        path = entry.get("NetworkNodes") or []
        block = entry.get("CapacityBlockId")
        if not isinstance(path, list) or not all(isinstance(part, str) for part in path):
            raise ValueError("`NetworkNodes` of {InstanceId}".format(**entry))
        if not isinstance(block, (str, type(None))):
            raise ValueError("`CapacityBlockId` of {InstanceId}".format(**entry))
        places[entry["InstanceId"]] = Place(tuple(path), block or None)
    return places


def choose(kind: str, places: Mapping[str, Place]) -> str:
    """`tree`, `block` or `none` for the spec's `kind`; `places` are those of compute nodes by
    Slurm's name.
    """
    if kind != "automatic":
        return kind
    if any(place.block for place in places.values()):
        return "block"
    return "tree" if any(place.path for place in places.values()) else "none"


def topology(kind: str, places: Mapping[str, Place]) -> Topology | None:
    """The topology of `places`, by node name; None for a flat network."""
    chosen = choose(kind, places)
    if chosen == "tree":
        return tree(places)
    return block(places) if chosen == "block" else None


def tree(places: Mapping[str, Place]) -> Topology:
    """topology/tree. Each network node is a switch under its own id.

    A job may span only connected nodes, so an additional switch connects switches without a common
    top, and has the nodes without a location.
    """
    leaves: dict[str, list[str]] = {}
    parent: dict[str, str] = {}
    unplaced = []
    for name, place in places.items():
        path = _switches(place.path)
        if not path:
            unplaced.append(name)
            continue
        leaves.setdefault(path[-1], []).append(name)
        for above, below in zip(path, path[1:]):
            parent[below] = above
    if unplaced:
        leaves[_UNPLACED] = unplaced
    switches = set(leaves) | set(parent) | set(parent.values())
    children: dict[str, list[str]] = {}
    for below, above in parent.items():
        children.setdefault(above, []).append(below)
    tops = sorted(switches - set(parent))
    if len(tops) > 1:
        children[ROOT] = tops
    lines = []
    for switch in sorted(leaves):
        if switch in children:
            # A switch of Slurm has nodes or switches, never both.
            direct = f"{switch}-direct"
            children[switch].append(direct)
            lines.append(f"SwitchName={direct} Nodes={compressed(leaves[switch])}")
        else:
            lines.append(f"SwitchName={switch} Nodes={compressed(leaves[switch])}")
    for switch in sorted(children):
        lines.append(
            "SwitchName={} Switches={}".format(switch, ",".join(sorted(children[switch])))
        )
    return Topology("tree", "\n".join(lines) + "\n")


def block(places: Mapping[str, Place]) -> Topology:
    """topology/block. A block is an UltraServer; the size is that of the largest one seen.

    Slurm 24.11 ends with a fatal error where a block has fewer nodes than the size, and gives no
    job to a node that is in no block (both tried with slurmctld 24.11.5). So short blocks, those
    with a node in repair for example, are filled with names in state FUTURE, which have no machine
    and get no job, and nodes outside UltraServers are in separate blocks: full ones of nearby
    nodes, because Slurm limits a job to the number of blocks that it would need if they were full
    (also tried).
    """
    members: dict[str, list[str]] = {}
    others: list[tuple[tuple[str, ...], str]] = []
    for name, place in places.items():
        if place.block:
            members.setdefault(place.block, []).append(name)
        else:
            others.append((place.path, name))
    size = max((len(names) for names in members.values()), default=1)
    blocks = [(name, sorted(names)) for name, names in sorted(members.items())]
    if not members:
        # No UltraServer: the instances of one network node are the closest equivalent of a block.
        size = max(Counter(path for path, _ in others).values())
    ordered = [name for _, name in sorted(others)]
    for index, start in enumerate(range(0, len(ordered), size), start=1):
        blocks.append((f"cw-other-{index}", ordered[start : start + size]))
    absent: list[str] = []
    lines = []
    for name, names in blocks:
        missing = size - len(names)
        fill = [f"{ABSENT_PREFIX}{len(absent) + number}" for number in range(1, missing + 1)]
        absent += fill
        lines.append(f"BlockName={name} Nodes={compressed([*names, *fill])}")
    lines.append(f"BlockSizes={size}")
    return Topology("block", "\n".join(lines) + "\n", tuple(absent))


def _switches(path: Sequence[str]) -> tuple[str, ...]:
    """Names of switches for a path: its network nodes without duplicates."""
    return tuple(part for index, part in enumerate(path) if part not in path[:index])
