"""Properties of HyperPod instance groups, for both orchestrators."""

from __future__ import annotations

from aws_cdk import aws_sagemaker as sagemaker

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.models.operations import Image
from clusterwright.platforms import accelerators
from clusterwright.platforms.hyperpod.instance_groups import (
    HEALTH_CHECKS,
    encrypts_root_volumes,
)

_CFN = sagemaker.CfnCluster

PATCHING = {"when-idle": "WhenIdle", "when-all-idle": "WhenAllIdle"}


def capacity_requirements(kind: str) -> _CFN.ClusterCapacityRequirementsProperty | None:
    """Set for Spot and on-demand; a group with a training plan has the plan's ARN instead."""
    if kind == "spot":
        return _CFN.ClusterCapacityRequirementsProperty(spot={})
    if kind == "on-demand":
        return _CFN.ClusterCapacityRequirementsProperty(on_demand={})
    return None


def network_interface(group: ComputeGroup) -> _CFN.ClusterNetworkInterfaceProperty | None:
    """The interface type of additional network cards, if the spec has it."""
    if group.network_interface is None:
        return None
    return _CFN.ClusterNetworkInterfaceProperty(interface_type=group.network_interface)


def auto_patch(image: Image) -> _CFN.AutoPatchConfigProperty | None:
    """The strategy for newer images, if the spec has it."""
    if image.auto_patch is None:
        return None
    return _CFN.AutoPatchConfigProperty(patching_strategy=PATCHING[image.auto_patch.strategy])


def health_checks(cluster: Cluster, group: ComputeGroup, catalog: Catalog) -> list[str] | None:
    """Deep health checks of a compute group with accelerators."""
    accelerated = accelerators.family(group.instance_type, catalog) != "none"
    if group.role != "compute" or not accelerated:
        return None
    return [HEALTH_CHECKS[c] for c in cluster.resilience.deep_health_checks] or None


def volumes(
    cluster: Cluster, group: ComputeGroup, *, key_arn: str
) -> list[_CFN.ClusterInstanceStorageConfigProperty]:
    """The root volume if the cluster's key encrypts it, and the additional volume of the spec."""
    entry, ebs = _CFN.ClusterInstanceStorageConfigProperty, _CFN.ClusterEbsVolumeConfigProperty
    own_key = encrypts_root_volumes(cluster)
    key = key_arn if own_key else None
    found = []
    if own_key:
        found.append(entry(ebs_volume_config=ebs(root_volume=True, volume_kms_key_id=key)))
    if group.ebs is not None:
        found.append(
            entry(
                ebs_volume_config=ebs(
                    volume_size_in_gb=group.ebs.capacity_gib, volume_kms_key_id=key
                )
            )
        )
    return found
