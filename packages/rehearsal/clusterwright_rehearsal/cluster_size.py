"""The size of the emulated cluster: the node limit of this host, and the reduced spec."""

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
"""A controller with MariaDB uses about 300 MiB, a worker with slurmd about 60 (measured)."""
_NODES_PER_PROCESSOR = 8
_MINIMUM = 4


@dataclass(frozen=True)
class ReducedSpec:
    """The spec of the rehearsal, with notes about the reduced groups."""

    data: dict[str, Any]
    notes: tuple[str, ...]
    counts: Mapping[str, int]


def default_limit(processors: int | None = None, free_mib: float | None = None) -> int:
    """The number of nodes that this host can run without becoming slow."""
    processors = processors or os.cpu_count() or 1
    free_mib = _free_mib() if free_mib is None else free_mib
    return max(
        _MINIMUM, min(processors * _NODES_PER_PROCESSOR, int(free_mib / MEMORY_PER_NODE_MIB))
    )


def reduced(cluster: Cluster, resolved: Mapping[str, Any], nodes: int | None) -> ReducedSpec:
    """The resolved spec with at most `nodes` nodes in total; default: `default_limit()`.

    Only compute groups are reduced, in proportion; each keeps at least one node, and more nodes
    than spares. The rest of the spec is unchanged.

    Raises
    ------
    RehearsalError
        The groups cannot be reduced that far.
    """
    limit = default_limit() if nodes is None else nodes
    fixed = sum(group.count for group in cluster.compute if group.role != "compute")
    groups = [group for group in cluster.compute if group.role == "compute"]
    wanted = {group.name: group.count for group in groups}
    capacity = limit - fixed
    if capacity < len(groups):
        raise RehearsalError(
            f"{limit} nodes are not enough: it needs {fixed} controller and login nodes, and "
            f"one node for each of {len(groups)} compute groups, {fixed + len(groups)} in total",
            f"--nodes {fixed + len(groups)} or more",
        )
    counts = _proportional_counts(wanted, capacity)
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
        notes.append(
            f"the default limit of this machine is {limit} nodes; --nodes sets another limit"
        )
    return ReducedSpec(data, tuple(notes), counts)


def write(data: Mapping[str, Any], folder: Path) -> Path:
    """Write the spec to a file, as JSON, which is valid YAML; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{data['environment']}.yaml"
    path.write_text(json.dumps(data, indent=2, default=_plain))
    return path


def without_nulls(value: Any) -> Any:
    """The value without the fields that are None, which the resolved form contains."""
    if isinstance(value, Mapping):
        return {k: without_nulls(v) for k, v in value.items() if v is not None}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [without_nulls(entry) for entry in value]
    return value


def _proportional_counts(wanted: Mapping[str, int], capacity: int) -> dict[str, int]:
    total = sum(wanted.values())
    if total <= capacity:
        return dict(wanted)
    counts = {name: max(1, count * capacity // total) for name, count in wanted.items()}
    # Rounding and the minimum of one node may exceed the capacity or leave some of it.
    while sum(counts.values()) > capacity:
        counts[max(counts, key=lambda name: counts[name])] -= 1
    for name in sorted(wanted, key=lambda name: counts[name] / wanted[name]):
        while sum(counts.values()) < capacity and counts[name] < wanted[name]:
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
