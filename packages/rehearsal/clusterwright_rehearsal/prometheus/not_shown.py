"""Alerts and panels that emulated nodes cannot show, each with its reason.

The scenario `alerts` fails if a panel of the rehearsed cluster returns nothing and is not here, or
returns data and is. `packages/rehearsal/tests/prometheus/test_not_shown.py` compares the alerts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_LUSTRE: Final = "Lustre's file systems are folders of the host's disk, without type or LNet"
_DISK: Final = "nodes share the disk of the host"
_NEURON: Final = "the rehearsed cluster has GPUs, and emulated Neuron devices run nothing"
_KUBERNETES: Final = "nodes of Kubernetes are not emulated"

ALERTS: Final[Mapping[str, str]] = {
    "RootDiskNearlyFull": _DISK,
    "SharedMemoryLeftOver": "nodes share the memory of the host, and show all of it",
    "NeuronDeviceMissing": _NEURON,
    "NeuronMetricsAbsent": _NEURON,
    "NeuronMemoryErrors": _NEURON,
    "NeuronDevicesIdle": _NEURON,
    "LustreNearlyFull": _LUSTRE,
    "LustreFull": _LUSTRE,
    "LustreInodesNearlyUsed": _LUSTRE,
    "LnetInterfaceDown": _LUSTRE,
    "BackfillSlow": "a backfill cycle of 30 seconds takes a cluster with thousands of jobs",
    "AccountingQueueGrows": "1,000 waiting records take as many jobs while slurmdbd is down",
    "ApiServerFails": _KUBERNETES,
    "ApiServerMetricsAbsent": _KUBERNETES,
    "ContainerOutOfMemory": _KUBERNETES,
}
"""Alert -> why it does not fire."""

OF_HOST: Final = frozenset({"RootDiskNearlyFull", "SharedMemoryLeftOver"})
"""Alerts about what nodes share with the host, which may be in that state."""

PANELS: Final[Mapping[str, str]] = {
    "storage: Space in use": _LUSTRE,
    "storage: Inodes in use": _LUSTRE,
    "storage: Nodes that have it mounted": _LUSTRE,
    "storage: Mounts that do not answer": _LUSTRE,
}
"""Panel -> why its query has no data. Panels of metrics with `hardware_only` in
`clusterwright/monitoring/metrics.yaml` are not repeated here."""
