"""All alerts, in the order of their families."""

from __future__ import annotations

from typing import Final

from clusterwright.alerts.alert import Alert
from clusterwright.alerts.families import (
    capacity,
    exporters,
    gpus,
    kubernetes,
    network,
    neuron,
    nodes,
    slurm,
    storage,
    training,
)

FAMILIES: Final[dict[str, tuple[Alert, ...]]] = {
    "Nodes": nodes.ALERTS,
    "NVIDIA GPUs": gpus.ALERTS,
    "Neuron devices": neuron.ALERTS,
    "EFA": network.ALERTS,
    "Lustre": storage.ALERTS,
    "Slurm": slurm.ALERTS,
    "Training jobs": training.ALERTS,
    "Kubernetes": kubernetes.ALERTS,
    "Exporters": exporters.ALERTS,
    "Purchased capacity": capacity.ALERTS,
}
"""Title of a family -> its alerts."""


def all_alerts() -> tuple[Alert, ...]:
    """Every alert, in the order of the families."""
    return tuple(alert for family in FAMILIES.values() for alert in family)
