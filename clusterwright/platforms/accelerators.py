"""Accelerators of a group, which determine its drivers, devices and Slurm GRES."""

from __future__ import annotations

from typing import Literal

from clusterwright.catalog import Catalog, Known

AcceleratorFamily = Literal["nvidia", "neuron", "none"]


def family(instance_type: str, catalog: Catalog) -> AcceleratorFamily:
    """nvidia, neuron or none, from the accelerator's name in the catalogue."""
    instance = catalog.instance(instance_type)
    if instance is None or not isinstance(instance.accelerator_name, Known):
        return "none"
    name = instance.accelerator_name.value
    if name.startswith(("Trainium", "Inferentia")):
        return "neuron"
    return "nvidia" if name else "none"


def count(instance_type: str, catalog: Catalog) -> int:
    """Return the accelerators per instance; 0 without any, or if unknown to the catalogue."""
    instance = catalog.instance(instance_type)
    if instance is None or not isinstance(instance.accelerator_count, Known):
        return 0
    return int(instance.accelerator_count.value)
