"""One example per platform sets every key that the platform supports, or has a reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.loading import load_cluster
from clusterwright.platforms.registry import PLATFORMS, SECTIONS
from tests.support.leaf_cases import leaves

EXAMPLES = Path(__file__).parents[2] / "configs" / "examples"

LEAVES = frozenset(leaves(Cluster))
DERIVED = {
    "compute[].part_of": "derived from a mix",
    "compute[].software": "versions in an image of the user's",
    "software": "versions in an image of the user's",
}
KUBERNETES_ONLY = "Kubernetes only"
PCS_ONLY = "AWS PCS only"
HYPERPOD_EKS_ONLY = "HyperPod with EKS only"
SLURM_ONLY = "Slurm only"
SLURM = {
    "acceptance.image": KUBERNETES_ONLY,
    "compute[].labels": KUBERNETES_ONLY,
    "compute[].taints[].effect": KUBERNETES_ONLY,
    "compute[].taints[].key": KUBERNETES_ONLY,
    "compute[].taints[].value": KUBERNETES_ONLY,
    "compute[].mig_profile": HYPERPOD_EKS_ONLY,
    "compute[].restricted": HYPERPOD_EKS_ONLY,
    "observability.metrics.image": KUBERNETES_ONLY,
    "tenants[].container_defaults.cpu_cores": KUBERNETES_ONLY,
    "tenants[].container_defaults.memory_gib": KUBERNETES_ONLY,
    "tenants[].egress_cidrs": KUBERNETES_ONLY,
    "tenants[].groups": KUBERNETES_ONLY,
    "tenants[].priority": KUBERNETES_ONLY,
    "slurm.strategy": "managed configuration of HyperPod only",
}
KUBERNETES = {
    "observability.metrics.slurm_openmetrics": SLURM_ONLY,
    "lifecycle.artefacts": "the node program runs with Slurm only",
    "lifecycle.steps": "the node program runs with Slurm only",
    "storage.lustre[].repositories[].preload": SLURM_ONLY,
    "tenants[].users": SLURM_ONLY,
}
REASONS: dict[str, dict[str, str]] = {
    "hyperpod-slurm": {
        **SLURM,
        "compute[].capacity.id": "HyperPod takes training plans, not reservations of EC2",
        "compute[].capacity.interruptible": PCS_ONLY,
        "compute[].capacity.shares[].capacity.id": "as capacity.id",
        "compute[].capacity.shares[].capacity.interruptible": PCS_ONLY,
        "compute[].min_count": "requires continuous provisioning, which excludes scripts",
        "compute[].placement_group": "HyperPod places instances itself (CW-C007)",
        "image.image_id": "excludes release_version",
    },
    "hyperpod-eks": {
        **KUBERNETES,
        "compute[].capacity.id": "HyperPod takes training plans, not reservations of EC2",
        "compute[].capacity.interruptible": PCS_ONLY,
        "compute[].capacity.shares[].capacity.id": "as capacity.id",
        "compute[].capacity.shares[].capacity.interruptible": PCS_ONLY,
        "compute[].placement_group": "HyperPod places instances itself (CW-C007)",
        "image.image_id": "excludes release_version",
        "image.released": "for the accounting database only",
        "kubernetes.autoscaling": "hyperpod.autoscaling",
        "kubernetes.max_unavailable_percent": "managed node groups only",
        "kubernetes.node_volume_gib": "managed node groups only",
        "kubernetes.workloads.queueing": "task governance creates the queues",
        "observability.metrics.image": "the observability add-on collects the metrics",
        "observability.metrics.listen": "the observability add-on collects the metrics",
        "observability.metrics.port": "the observability add-on collects the metrics",
    },
    "parallelcluster": {
        **SLURM,
        "compute[].capacity.arn": "training plans are HyperPod's",
        "compute[].capacity.shares[].capacity.arn": "training plans are HyperPod's",
        "compute[].capacity.shares[].capacity.id": "a mix excludes slurm.partitions",
        "compute[].capacity.interruptible": PCS_ONLY,
        "compute[].capacity.shares[].capacity.interruptible": PCS_ONLY,
        "compute[].capacity.shares[].capacity.kind": "a mix excludes slurm.partitions",
        "compute[].capacity.shares[].percent": "a mix excludes slurm.partitions",
        "compute[].capacity.fallback": "a mix excludes slurm.partitions",
        "compute[].ebs.capacity_gib": "parallelcluster.root_volume_gib",
        "image.auto_patch.strategy": "HyperPod only",
        "image.release_version": "parallelcluster.version",
        "image.released": "parallelcluster.version",
        "resilience.deep_health_checks": "HyperPod only",
        "resilience.node_provisioning": "HyperPod only",
        "resilience.node_recovery": "ParallelCluster always replaces failed nodes",
        "slurm.metadata_service_users": "HyperPod only",
    },
    "pcs": {
        **SLURM,
        "compute[].capacity.arn": "training plans are HyperPod's",
        "compute[].capacity.shares[].capacity.arn": "training plans are HyperPod's",
        "compute[].capacity.shares[].capacity.id": "a mix excludes slurm.partitions",
        "compute[].capacity.shares[].capacity.interruptible": "a mix excludes slurm.partitions",
        "compute[].capacity.shares[].capacity.kind": "a mix excludes slurm.partitions",
        "compute[].capacity.shares[].percent": "a mix excludes slurm.partitions",
        "compute[].capacity.fallback": "a mix excludes slurm.partitions",
        "compute[].ebs.capacity_gib": "pcs.root_volume_gib",
        "image.auto_patch.strategy": "HyperPod only",
        "image.release_version": "HyperPod only",
        "image.released": "HyperPod only",
        "network.second_availability_zone_id": "PCS keeps the accounting database",
        "resilience.deep_health_checks": "HyperPod only",
        "resilience.node_provisioning": "HyperPod only",
        "resilience.node_recovery": "PCS always replaces failed instances",
        "slurm.accounting.backup_retention_days": "PCS keeps the accounting database",
        "slurm.accounting.capacity_gib": "PCS keeps the accounting database",
        "slurm.accounting.instance_class": "PCS keeps the accounting database",
        "slurm.accounting.multi_az": "PCS keeps the accounting database",
        "slurm.metadata_service_users": "HyperPod only",
        "slurm.timeouts.credential_seconds": "PCS does not know the setting",
        "slurm.timeouts.kill_wait_seconds": "PCS does not know the setting",
        "slurm.timeouts.node_down_seconds": "PCS does not know the setting",
    },
    "eks": {
        **KUBERNETES,
        "compute[].capacity.arn": "training plans are HyperPod's",
        "compute[].capacity.interruptible": PCS_ONLY,
        "compute[].capacity.shares[].capacity.arn": "training plans are HyperPod's",
        "compute[].capacity.shares[].capacity.interruptible": PCS_ONLY,
        "compute[].ebs.capacity_gib": "kubernetes.node_volume_gib",
        "compute[].mig_profile": HYPERPOD_EKS_ONLY,
        "compute[].restricted": HYPERPOD_EKS_ONLY,
        "image.auto_patch.strategy": "HyperPod only",
        "image.nvidia_driver": "HyperPod and ParallelCluster only",
        "image.release_version": "HyperPod only",
        "image.released": "HyperPod only",
        "kubernetes.workloads.jobs[].checkpointless.restart_timeout_seconds": HYPERPOD_EKS_ONLY,
        "kubernetes.workloads.jobs[].checkpointless.rootless": HYPERPOD_EKS_ONLY,
        "kubernetes.workloads.jobs[].elastic.fault_wait_seconds": HYPERPOD_EKS_ONLY,
        "kubernetes.workloads.jobs[].elastic.graceful_shutdown_seconds": HYPERPOD_EKS_ONLY,
        "kubernetes.workloads.jobs[].elastic.min_nodes": HYPERPOD_EKS_ONLY,
        "kubernetes.workloads.jobs[].elastic.scale_up_delay_seconds": HYPERPOD_EKS_ONLY,
        "kubernetes.workloads.jobs[].elastic.step": HYPERPOD_EKS_ONLY,
        "kubernetes.workloads.topology_api": "topology labels are known for HyperPod only",
        "resilience.deep_health_checks": "HyperPod only",
        "resilience.node_provisioning": "HyperPod only",
    },
}
"""Keys that a full example does not set, in addition to those of `left_out`."""


def written(data: Any, path: str = "") -> Iterator[str]:
    """Paths of all leaves of the spec that the data sets."""
    if path in LEAVES:
        yield path
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from written(value, f"{path}.{key}".removeprefix("."))
    elif isinstance(data, list):
        for value in data:
            yield from written(value, f"{path}[]")


def left_out(platform: str) -> set[str]:
    """Keys of other platforms' sections, and keys of resources that exist already."""
    sections = load_cluster(EXAMPLES / f"full-{platform}.yaml").cluster.traits.sections
    others = tuple(f"{section}." for section in SECTIONS if section not in sections)
    return {leaf for leaf in LEAVES if leaf.startswith(others) or ".existing." in leaf}


@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_other_key_has_a_reason(platform: str) -> None:
    data = yaml.safe_load((EXAMPLES / f"full-{platform}.yaml").read_text(encoding="utf-8"))
    found = set(written(data))
    reasons = {*DERIVED, *REASONS[platform], *left_out(platform)}
    assert LEAVES - found == reasons


def test_all_full_examples_together_set_most_keys() -> None:
    texts = [(EXAMPLES / f"full-{one}.yaml").read_text(encoding="utf-8") for one in PLATFORMS]
    found = {leaf for text in texts for leaf in written(yaml.safe_load(text))}
    existing = {leaf for leaf in LEAVES if ".existing." in leaf}
    # `strategy` excludes the scripted configuration, which has more keys, and on PCS, which alone
    # has interruptible reservations, a mix excludes partitions.
    mixed = "compute[].capacity.shares[].capacity.interruptible"
    assert LEAVES - found - existing == {*DERIVED, "slurm.strategy", mixed}


def test_each_platform_has_a_full_example() -> None:
    found = {path.stem.removeprefix("full-") for path in EXAMPLES.glob("full-*.yaml")}
    assert found == set(PLATFORMS)
