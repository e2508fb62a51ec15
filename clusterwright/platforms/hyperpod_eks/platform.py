"""Traits of `hyperpod-eks`."""

from __future__ import annotations

from typing import Final

from clusterwright.platforms.capacity_kinds import (
    HYPERPOD_KINDS,
    HYPERPOD_PLACEMENT,
    HYPERPOD_REFUSES,
)
from clusterwright.platforms.traits import Platform

PLATFORM: Final = Platform(
    name="hyperpod-eks",
    title="HyperPod, EKS",
    scheduler="kubernetes",
    node_service="hyperpod",
    sections=("kubernetes", "hyperpod", "acceptance"),
    node_principal="sagemaker.amazonaws.com",
    capacity_kinds=HYPERPOD_KINDS,
    refused_capacity=HYPERPOD_REFUSES,
    placement_groups=False,
    placement_group_reason=HYPERPOD_PLACEMENT,
    node_names="hyperpod-<instance id>",
    node_addresses="vpc-cni",
    node_type_source="sagemaker",
    tags_nodes=False,
    gpu_partitions=True,
    autoscaling_key=("hyperpod", "autoscaling"),
    autoscaling_note="HyperPod runs Karpenter, which also removes nodes that it did not add",
    charts=frozenset({"kueue", "hyperpod-helm-chart"}),
    renders=frozenset({"kubernetes"}),
)
