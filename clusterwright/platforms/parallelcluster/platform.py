"""Traits of `parallelcluster`."""

from __future__ import annotations

from typing import Final

from clusterwright.platforms.capacity_kinds import EC2_KINDS, EC2_REFUSES
from clusterwright.platforms.traits import Platform

PLATFORM: Final = Platform(
    name="parallelcluster",
    title="ParallelCluster",
    scheduler="slurm",
    node_service="ec2",
    sections=("slurm", "acceptance", "parallelcluster"),
    node_principal="",
    capacity_kinds=EC2_KINDS,
    refused_capacity=EC2_REFUSES,
    placement_groups=True,
    provider_stack=True,
    verified_scripts=True,
    ignores_memory=True,
    typed_gres=True,
    internal_shared_storage=True,
    node_names="<queue>-st-<group>-<number>",
    node_setup="parallelcluster",
    entry_script="on_node_configured.sh",
    starts_instances="ParallelCluster",
    spares_from_reserved_capacity=True,
    partitions_are_queues=True,
    accounting_secret_is_password=True,
    mounts_home_by_volume=True,
    renders=frozenset({"parallelcluster"}),
)
