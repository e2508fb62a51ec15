"""How many nodes this machine holds, and the spec with that many."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright_rehearsal.errors import RehearsalError

MEMORY_PER_NODE_MIB = 220
"""A controller with MariaDB takes about 300 MiB, a worker with slurmd about 60 (measured)."""
_NODES_PER_PROCESSOR = 8
_LEAST = 4


@dataclass(frozen=True)
class Sized:
    """The spec as it is rehearsed."""

    data: dict[str, Any]
    notes: tuple[str, ...]
    counts: Mapping[str, int]


def comfortable(processors: int | None = None, free_mib: float | None = None) -> int:
    """The nodes that this machine holds without getting slow."""
    processors = processors or os.cpu_count() or 1
    free_mib = _free_mib() if free_mib is None else free_mib
    return max(_LEAST, min(processors * _NODES_PER_PROCESSOR, int(free_mib / MEMORY_PER_NODE_MIB)))


def sized(cluster: Cluster, resolved: Mapping[str, Any], nodes: int | None) -> Sized:
    """The resolved spec with at most `nodes` nodes in all; without it, what fits comfortably.

    Only groups of role compute are made smaller, in proportion; each keeps one node, and more
    nodes than spares. The rest of the spec stays.

    Raises
    ------
    RehearsalError
        The groups cannot be made that small.
    """
    limit = comfortable() if nodes is None else nodes
    fixed = sum(group.count for group in cluster.compute if group.role != "compute")
    groups = [group for group in cluster.compute if group.role == "compute"]
    wanted = {group.name: group.count for group in groups}
    room = limit - fixed
    if room < len(groups):
        raise RehearsalError(
            f"{limit} nodes are too few: {fixed} for controller and login, and one for each of "
            f"{len(groups)} compute groups, make {fixed + len(groups)}",
            f"--nodes {fixed + len(groups)} or more",
        )
    counts = _shared_out(wanted, room)
    data = without_nulls(copy.deepcopy(dict(resolved)))
    notes = []
    for entry in data["compute"]:
        before, after = entry["count"], counts.get(entry["name"], entry["count"])
        if after == before:
            continue
        entry["count"] = after
        text = f"group {entry['name']} has {after} instead of {before} nodes"
        spares = min(entry.get("spare_count", 0), after - 1)
        if spares < entry.get("spare_count", 0):
            text += f", and {spares} instead of {entry['spare_count']} spares"
            entry["spare_count"] = spares
        if (entry.get("min_count") or 0) > after:
            entry["min_count"] = after
        notes.append(text)
    if notes and nodes is None:
        notes.append(f"this machine holds {limit} nodes comfortably; --nodes takes another number")
    return Sized(data, tuple(notes), counts)


def write(data: Mapping[str, Any], folder: Path) -> Path:
    """The spec as a file of its own; JSON is YAML too."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{data['environment']}.yaml"
    path.write_text(json.dumps(data, indent=2, default=_plain))
    return path


def without_nulls(value: Any) -> Any:
    """The resolved form names every field; those without a value are left out."""
    if isinstance(value, Mapping):
        return {k: without_nulls(v) for k, v in value.items() if v is not None}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [without_nulls(entry) for entry in value]
    return value


def _shared_out(wanted: Mapping[str, int], room: int) -> dict[str, int]:
    total = sum(wanted.values())
    if total <= room:
        return dict(wanted)
    counts = {name: max(1, count * room // total) for name, count in wanted.items()}
    # Rounding, and the one that each keeps, may take or leave a few.
    while sum(counts.values()) > room:
        counts[max(counts, key=lambda name: counts[name])] -= 1
    for name in sorted(wanted, key=lambda name: counts[name] / wanted[name]):
        while sum(counts.values()) < room and counts[name] < wanted[name]:
            counts[name] += 1
    return counts


def _plain(value: object) -> object:
    number = float(str(value))
    return int(number) if number == int(number) else number


def _free_mib() -> float:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 4096.0
