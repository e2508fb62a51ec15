"""Traits of `hyperpod-slurm`."""

from __future__ import annotations

from typing import Final

from clusterwright.platforms.capacity_kinds import (
    HYPERPOD_KINDS,
    HYPERPOD_PLACEMENT,
    HYPERPOD_REFUSES,
)
from clusterwright.platforms.traits import Platform

PLATFORM: Final = Platform(
    name="hyperpod-slurm",
    title="HyperPod, Slurm",
    scheduler="slurm",
    node_service="hyperpod",
    sections=("slurm", "acceptance"),
    node_principal="sagemaker.amazonaws.com",
    capacity_kinds=HYPERPOD_KINDS,
    refused_capacity=HYPERPOD_REFUSES,
    placement_groups=False,
    placement_group_reason=HYPERPOD_PLACEMENT,
    node_names="ip-... (`<group>-<number>` in HyperPod's lists)",
    node_addresses="card",
    node_type_source="sagemaker",
    tags_nodes=False,
    accounting_on_controller=True,
    custom_lifecycle_scripts=True,
)
