"""Traits of `pcs`."""

from __future__ import annotations

from typing import Final

from clusterwright.platforms.capacity_kinds import EC2_KINDS, EC2_REFUSES
from clusterwright.platforms.traits import Platform

PLATFORM: Final = Platform(
    name="pcs",
    title="PCS",
    scheduler="slurm",
    node_service="ec2",
    sections=("slurm", "acceptance", "pcs"),
    node_principal="ec2.amazonaws.com",
    capacity_kinds=EC2_KINDS,
    refused_capacity=EC2_REFUSES,
    placement_groups=True,
    interruptible_reservations=True,
    service_runs_controller=True,
    verified_scripts=True,
    ignores_memory=True,
    arguments_replace_login_nodes=True,
    node_names="<group>-<number>",
    node_addresses="template",
    node_setup="pcs",
    entry_script="on_pcs_node.sh",
    starts_instances="PCS",
    spares_from_reserved_capacity=True,
    partitions_are_queues=True,
    managed_accounting=True,
)
