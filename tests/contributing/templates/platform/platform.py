"""Traits of `example`."""

from __future__ import annotations

from typing import Final

from clusterwright.platforms.capacity_kinds import EC2_KINDS, EC2_REFUSES
from clusterwright.platforms.traits import Platform

PLATFORM: Final = Platform(
    name="example",
    title="Example",
    scheduler="kubernetes",
    node_service="ec2",
    sections=frozenset({"kubernetes"}),
    node_principal="eks.amazonaws.com",
    capacity_kinds=EC2_KINDS,
    refused_capacity=EC2_REFUSES,
    placement_groups=True,
    managed_node_groups=True,
    node_names="example-<number>",
    charts=frozenset({"kueue"}),
    renders=frozenset({"kubernetes"}),
)
