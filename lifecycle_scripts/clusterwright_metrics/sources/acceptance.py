"""The bandwidths that the cluster was accepted with, of the acceptance runs of the controller."""

from __future__ import annotations

from typing import Any

from clusterwright_common import records
from clusterwright_common.probe import Probe

from clusterwright_metrics.text import Metrics

ROLES = ("controller",)

FILE = "/var/lib/clusterwright/acceptance/accepted.json"
MOST_ROWS = 100


def collect(probe: Probe, metrics: Metrics) -> None:
    for row in _rows(probe)[-MOST_ROWS:]:
        try:
            value = float(row["gbs"])
            labels = {
                "instance_type": str(row["instance_type"]),
                "n_nodes": str(int(row["nodes"])),
                "nranks": str(int(row["ranks"])),
                "size_mib": str(int(row["size_mib"])),
            }
        except (KeyError, TypeError, ValueError):
            continue
        metrics.add(
            "clusterwright_accepted_bus_bandwidth_gbs",
            "gauge",
            "Bus bandwidth of an all-reduce in the last acceptance that it passed, in GB/s.",
            value,
            labels,
        )


def _rows(probe: Probe) -> list[Any]:
    rows = records.read(probe.path(FILE)).get("accepted")
    return rows if isinstance(rows, list) else []
