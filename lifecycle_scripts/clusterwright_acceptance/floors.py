"""Floors: figures that a healthy node or cluster reaches, with source, size and node count.

A reference is what somebody measured; a floor is a reference times our factor, or a pass mark of
others. Between measured sizes and node counts a floor is interpolated, linearly in the logarithms
of both. Outside of them nothing is known: it is never extrapolated.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Optional

from clusterwright_acceptance.expected import Expected, FileSystem

OWN_UNITS = {
    "nvlink-allreduce": "GB/s",
    "host-copy": "GB/s",
    "hbm-copy": "GB/s",
    "neuron-allreduce": "GB/s",
    "nvme-throughput": "MB/s",
    "pairs": "GB/s",
    "cluster-allreduce": "GB/s",
}
"""The checks that a floor of the user's own can replace the floor of, with the figure's unit."""


@dataclass(frozen=True)
class Floor:
    """`value` is None where no floor is known; `source` is then the reason."""

    value: Optional[float]
    source: str


@lru_cache(maxsize=1)
def table() -> dict[str, Any]:
    path = Path(__file__).with_name("floors.json")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def own(expected: Expected, check: str) -> Optional[Floor]:
    """The user's own floor of a check, which replaces every other."""
    value = expected.floors.get(check)
    return None if value is None else Floor(value, "the floors of the spec")


def _sized(expected: Expected, check: str, nodes: int, size_mib: float) -> Optional[Floor]:
    """The user's own floor for a size and a number of nodes, else that for all."""
    fitting = [
        row
        for row in expected.sized_floors
        if row.check == check
        and row.size_mib in (None, size_mib)
        and row.node_count in (None, nodes)
    ]
    if not fitting:
        return own(expected, check)
    closest = max(fitting, key=lambda row: (row.size_mib is not None, row.node_count is not None))
    return Floor(closest.minimum, "the floors of the spec")


def nvlink_allreduce(expected: Expected) -> tuple[Floor, int]:
    """The floor of an all-reduce in one node, in GB/s of bus bandwidth, and its size in MiB."""
    kind = expected.type
    rows = [
        row
        for row in table()["nvlink_allreduce"]
        if row["accelerator"] == kind.accelerator and row["count"] == kind.accelerator_count
    ]
    mine = own(expected, "nvlink-allreduce")
    if not rows:
        named = f"{kind.accelerator_count} × {kind.accelerator}"
        missing = Floor(None, f"no measurement of {named} in one node was found")
        return mine or missing, 4096
    return mine or _of_row(rows[0], "node"), int(rows[0]["size_mib"])


def host_copy(expected: Expected) -> Floor:
    """The floor of a copy between host and one GPU, in GB/s."""
    for row in table()["host_copy"]:
        if row["accelerator"] == expected.type.accelerator:
            return own(expected, "host-copy") or _of_row(row, "node")
    missing = Floor(None, f"no measurement of {expected.type.accelerator} was found")
    return own(expected, "host-copy") or missing


def pair_ring(expected: Expected) -> Floor:
    """The floor of an all-reduce of two nodes with NCCL's ring, in GB/s of bus bandwidth."""
    mine = own(expected, "pairs")
    if mine is not None:
        return mine
    row, network = table()["pair_ring"], expected.type.network_gbps
    if expected.kind != "nvidia" or network is None or not expected.efa:
        return Floor(None, "no reference for two nodes of this type was found")
    if network > float(row["largest_network_gbps"]):
        return Floor(None, "the reference for two nodes is not for interfaces of this speed")
    value = network / 400.0 * float(row["gbps_per_400gbit"]) * float(table()["factors"]["network"])
    return Floor(value, f"{row['source']}; × {table()['factors']['network']}")


def pair_neuron(expected: Expected, size_mib: float) -> Floor:
    """The floor of an all-reduce of two nodes with nccom-test, in GB/s of bus bandwidth."""
    curves = table()["network_allreduce"]
    return own(expected, "pairs") or of_curve(curves, expected.instance_type, 2, size_mib)


def allreduce(expected: Expected, nodes: int, size_mib: float) -> Floor:
    """The floor of an all-reduce over several nodes, in GB/s of bus bandwidth."""
    mine = _sized(expected, "cluster-allreduce", nodes, size_mib)
    if mine is not None:
        return mine
    return of_curve(table()["network_allreduce"], expected.instance_type, nodes, size_mib)


def of_curve(
    curves: Sequence[Mapping[str, Any]], instance_type: str, nodes: int, size_mib: float
) -> Floor:
    """The interpolated floor of a type, or why there is none."""
    alias = table()["same_as"].get(instance_type)
    name = instance_type if alias is None else str(alias["type"])
    curve = next((row for row in curves if row["type"] == name), None)
    if curve is None:
        return Floor(None, f"no measurement of {instance_type} over several nodes was found")
    reference = _interpolated(curve, nodes, size_mib)
    if reference is None:
        counts, sizes = curve["nodes"], [float(size) for size in curve["sizes_mib"]]
        return Floor(
            None,
            f"measured with {min(counts)} to {max(counts)} nodes and {min(sizes):g} to"
            f" {max(sizes):g} MiB, not with {nodes} and {size_mib:g}",
        )
    factor = float(table()["factors"]["network"])
    source = str(curve["source"])
    if alias is not None:
        source = f"as {name} ({alias['reason']}): {source}"
    return Floor(reference * factor, f"{source}; × {factor}")


def lustre_write(file_system: FileSystem, nodes: int, client_gbps: Optional[float]) -> Floor:
    """The floor of writing from `nodes` nodes at once, in MB/s.

    The least of the tier, of the servers' network baseline and of the clients' interfaces.
    """
    tier, capacity = file_system.throughput_mbps_per_tib, file_system.capacity_gib
    if tier is None or capacity is None:
        return Floor(None, f"capacity and tier of {file_system.mount_path} are not in the spec")
    tib = capacity / 1024
    limits = [tier * tib]
    baseline = table()["lustre_network_baseline_mbps_per_tib"].get(str(tier))
    if baseline is not None:
        limits.append(float(baseline) * tib)
    if client_gbps is not None:
        limits.append(client_gbps * 1000 / 8 * nodes)
    factor = float(table()["factors"]["storage"])
    return Floor(min(limits) * factor, f"{table()['lustre_source']}; × {factor}")


def _of_row(row: Mapping[str, Any], factor: str) -> Floor:
    if "floor" in row:
        return Floor(float(row["floor"]), str(row["source"]))
    times = float(table()["factors"][factor])
    return Floor(float(row["reference"]) * times, f"{row['source']}; × {times}")


def _interpolated(curve: Mapping[str, Any], nodes: int, size: float) -> Optional[float]:
    sizes = sorted((float(key), values) for key, values in curve["sizes_mib"].items())
    column = _weights([float(count) for count in curve["nodes"]], float(nodes))
    row = _weights([key for key, _ in sizes], size)
    if column is None or row is None:
        return None
    return sum(
        row_weight * column_weight * float(sizes[row_index][1][column_index])
        for row_index, row_weight in row
        for column_index, column_weight in column
    )


def _weights(points: Sequence[float], at: float) -> Optional[list[tuple[int, float]]]:
    """Indices of the points around `at` with their weights; None outside of the points."""
    if at <= 0 or not points[0] <= at <= points[-1]:
        return None
    for index, point in enumerate(points):
        if at == point:
            return [(index, 1.0)]
        if at < point:
            low = points[index - 1]
            share = math.log(at / low) / math.log(point / low)
            return [(index - 1, 1.0 - share), (index, share)]
    return None
