"""Checks of CreateCluster and UpdateCluster.

Sources of the rules: the API model (botocore 1.44.5, docstrings of CreateCluster and its shapes);
AWS's guide pages "Migrating to API-driven Slurm configuration" (its troubleshooting section has
the messages) and "Continuous provisioning for enhanced cluster operations with Slurm"; "Custom
Amazon VPC Setup for SageMaker HyperPod"; the CloudFormation schema of AWS::SageMaker::Cluster
(2026-10-20). Where AWS's message is not known, it is ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from clusterwright_localaws.core import catalog_facts, quotas
from clusterwright_localaws.core.call import Call
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.services.sagemaker import plans
from clusterwright_localaws.services.sagemaker.state import Cluster, Clusters

INSTANCES_PER_CLUSTER = "L-2CE978FC"
INSTANCES_IN_ALL_CLUSTERS = "L-3308CCC7"
SPOT_INSTANCES_PER_CLUSTER = "L-41BFBF41"
SPOT_INSTANCES_IN_ALL_CLUSTERS = "L-97A2C724"
EBS_GB_PER_INSTANCE = "L-E13DF72A"


def invalid(message: str) -> AwsError:
    return AwsError("ValidationException", message)


def check_request(request: Mapping[str, Any], *, name: str) -> None:
    """Check a cluster as a whole: as requested, or as it would be after an update."""
    groups = all_groups(request)
    if not groups:
        raise invalid("At least one instance group is required to create a cluster.")
    repeated = [k for k, n in Counter(g["InstanceGroupName"] for g in groups).items() if n > 1]
    if repeated:
        raise invalid(f"InstanceGroupName must be unique: {', '.join(repeated)}")
    orchestrator = request.get("Orchestrator")
    if orchestrator is not None and ("Eks" in orchestrator) == ("Slurm" in orchestrator):
        raise invalid(
            "Orchestrator must have exactly one orchestrator configuration: either Eks or Slurm."
        )
    eks = "Eks" in (orchestrator or {})
    if eks and not request.get("VpcConfig"):
        raise invalid("VpcConfig is required for clusters orchestrated by Amazon EKS.")
    _check_slurm(request, groups, name=name, eks=eks)
    for group in groups:
        check_group(group, request)


def check_group(group: Mapping[str, Any], request: Mapping[str, Any]) -> None:
    """Check the fields of a group against each other."""
    name = group["InstanceGroupName"]
    if bool(group.get("InstanceType")) == bool(group.get("InstanceRequirements")):
        raise invalid(
            f"Instance group {name} must have exactly one of InstanceType and "
            "InstanceRequirements."
        )
    minimum = group.get("MinInstanceCount")
    if minimum is not None and minimum > group["InstanceCount"]:
        raise invalid(
            f"MinInstanceCount {minimum} of instance group {name} is greater than its "
            f"InstanceCount {group['InstanceCount']}."
        )
    _check_storage(group, request)
    lifecycle = group.get("LifeCycleConfig") or {}
    if lifecycle.get("OnCreate") and lifecycle.get("OnInitComplete"):
        # The schema: "Mutually exclusive with OnInitComplete."
        raise invalid(
            f"OnCreate and OnInitComplete of instance group {name} are mutually exclusive."
        )
    if group.get("TrainingPlanArn") and "Spot" in (group.get("CapacityRequirements") or {}):
        raise invalid(f"Instance group {name} cannot use a training plan and Spot capacity.")
    types = group.get("InstanceRequirements", {}).get("InstanceTypes", [])
    if len(set(types)) != len(types):
        raise invalid(f"InstanceTypes of instance group {name} are not unique.")


def _check_storage(group: Mapping[str, Any], request: Mapping[str, Any]) -> None:
    name = group["InstanceGroupName"]
    seen: set[bool] = set()
    for entry in group.get("InstanceStorageConfigs", ()):
        kinds = [kind for kind in entry if entry[kind] is not None]
        if len(kinds) != 1:
            raise invalid(f"Each storage configuration of {name} must have exactly one kind.")
        if kinds[0] != "EbsVolumeConfig":
            if not (request.get("VpcConfig") or group.get("OverrideVpcConfig")):
                # "the cluster must use a custom VPC (specified through VpcConfig)"
                raise invalid(f"Instance group {name} mounts Amazon FSx and needs a VpcConfig.")
            continue
        volume = entry["EbsVolumeConfig"]
        root = bool(volume.get("RootVolume"))
        if root in seen:
            raise invalid(f"Instance group {name} configures the same EBS volume twice.")
        seen.add(root)
        if root and "VolumeSizeInGB" in volume:
            raise invalid(f"VolumeSizeInGB cannot be specified for the root volume of {name}.")
        if root and not volume.get("VolumeKmsKeyId"):
            raise invalid(f"VolumeKmsKeyId is required for the root volume of {name}.")
        if not root and "VolumeSizeInGB" not in volume:
            raise invalid(f"VolumeSizeInGB is required for the EBS volume of {name}.")


def _check_slurm(
    request: Mapping[str, Any], groups: Sequence[Mapping[str, Any]], *, name: str, eks: bool
) -> None:
    slurm = (request.get("Orchestrator") or {}).get("Slurm") or {}
    continuous = request.get("NodeProvisioningMode") == "Continuous"
    configured = [group for group in groups if group.get("SlurmConfig")]
    if eks:
        if configured:
            raise invalid("SlurmConfig is not supported for clusters orchestrated by Amazon EKS.")
        return
    if continuous and slurm.get("SlurmConfigStrategy"):
        # "Passing any SlurmConfigStrategy value results in an API error."
        raise invalid(
            "SlurmConfigStrategy is not supported for clusters using Continuous as the "
            "NodeProvisioningMode."
        )
    if slurm.get("AccountingDatabase") and not continuous:
        # "This field is only supported for clusters using Continuous as the NodeProvisioningMode."
        raise invalid(
            "AccountingDatabase is only supported for clusters using Continuous as the "
            "NodeProvisioningMode."
        )
    if continuous and len(configured) < len(groups):
        missing = [g["InstanceGroupName"] for g in groups if not g.get("SlurmConfig")]
        raise invalid(
            "NodeProvisioningMode Continuous requires SlurmConfig in every instance group; "
            f"missing in: {', '.join(missing)}"
        )
    if not configured:
        return
    controllers = [g for g in configured if g["SlurmConfig"]["NodeType"] == "Controller"]
    if len(controllers) > 1:
        raise invalid(
            f"{len(controllers)} Controller Groups found: SlurmConfig for InstanceGroups may "
            "only have one Controller Group."
        )
    if not controllers:
        raise invalid(f"Cluster {name} has no InstanceGroup with Controller node type.")
    for group in configured:
        config = group["SlurmConfig"]
        if config.get("PartitionNames") and config["NodeType"] != "Compute":
            raise invalid("Partitions can only be assigned to Compute node types")


def check_network(clusters: Clusters, request: Mapping[str, Any]) -> None:
    """Check that subnets and security groups exist and belong to one VPC."""
    network = clusters.network
    configs = [request.get("VpcConfig")]
    configs += [group.get("OverrideVpcConfig") for group in all_groups(request)]
    for config in filter(None, configs):
        vpcs = set()
        for subnet_id in config["Subnets"]:
            subnet = network.subnet(subnet_id)
            if subnet is None:
                raise invalid(f"The subnet ID '{subnet_id}' does not exist")
            vpcs.add(subnet.vpc_id)
        for group_id in config["SecurityGroupIds"]:
            group = network.security_group(group_id)
            if group is None:
                raise invalid(f"The security group '{group_id}' does not exist")
            vpcs.add(group.vpc_id)
        if len(vpcs) > 1:
            raise invalid(
                "The subnets and security groups of a VpcConfig must be in the same VPC; "
                f"found {', '.join(sorted(str(vpc) for vpc in vpcs))}"
            )


def check_offerings(call: Call, clusters: Clusters, request: Mapping[str, Any]) -> None:
    """Check that every type of a group is offered in at least one zone of the group's subnets."""
    for group in all_groups(request):
        config = group.get("OverrideVpcConfig") or request.get("VpcConfig")
        if not config or group["InstanceCount"] == 0:
            continue
        zones = {_zone(clusters, subnet_id) for subnet_id in config["Subnets"]}
        plans.check_plan_zones(call, group, zones)
        for name in group_types(group):
            offered = [
                catalog_facts.offered_in(
                    call.world, catalog_facts.ec2_name(name), call.region, zone
                )
                for zone in zones
            ]
            if all(answer is False for answer in offered):
                raise invalid(
                    f"Instance type {name} of instance group {group['InstanceGroupName']} is not "
                    f"available in the Availability Zones of its subnets: "
                    f"{', '.join(sorted(zones))}"
                )


def _zone(clusters: Clusters, subnet_id: str) -> str:
    subnet = clusters.network.subnet(subnet_id)
    assert subnet is not None, "check_network comes first"
    return str(subnet.availability_zone_id)


def check_quotas(
    call: Call,
    clusters: Clusters,
    before: Mapping[str, int],
    request: Mapping[str, Any],
    *,
    cluster: Cluster | None = None,
) -> None:
    """Refuse counts that exceed a quota of the account.

    Parameters
    ----------
    before:
        The target count of every group as it is now; empty for a new cluster.

    Raises
    ------
    AwsError
        ResourceLimitExceeded, naming the quota, its value, the use and the difference.
    """
    groups = all_groups(request)
    total = sum(group["InstanceCount"] for group in groups)
    growth = total - sum(before.values())
    by_type: Counter[tuple[str, bool]] = Counter()
    reserved: Counter[str] = Counter()
    for group in groups:
        more = group["InstanceCount"] - before.get(group["InstanceGroupName"], 0)
        spot = "Spot" in (group.get("CapacityRequirements") or {})
        if not group.get("TrainingPlanArn"):
            by_type[catalog_facts.ec2_name(group_types(group)[0]), spot] += more
        else:
            reserved[catalog_facts.ec2_name(group_types(group)[0])] += group["InstanceCount"]
        _check_volumes(call, group)
    for (instance_type, spot), more in by_type.items():
        use = "hyperpod-spot" if spot else "hyperpod-cluster"
        code = catalog_facts.quota_code(instance_type, use)
        if code is not None:
            _require(call, code, more)
    for instance_type, count in reserved.items():
        # AWS sells no plan above the quota; a plan of the world may be in an account that could
        # not buy it.
        code = catalog_facts.quota_code(instance_type, "reserved-capacity")
        if code is not None:
            _require_per_cluster(call, code, count)
    if growth > 0:
        _require_per_cluster(call, INSTANCES_PER_CLUSTER, total)
        _require(call, INSTANCES_IN_ALL_CLUSTERS, growth)
        spot_total = sum(
            g["InstanceCount"] for g in groups if "Spot" in (g.get("CapacityRequirements") or {})
        )
        if spot_total:
            _require_per_cluster(call, SPOT_INSTANCES_PER_CLUSTER, spot_total)
            spot_growth = sum(more for (_, spot), more in by_type.items() if spot)
            _require(call, SPOT_INSTANCES_IN_ALL_CLUSTERS, spot_growth)
    plans.check_plans(call, groups, before, cluster=cluster)


def _check_volumes(call: Call, group: Mapping[str, Any]) -> None:
    for entry in group.get("InstanceStorageConfigs", ()):
        size_gb = (entry.get("EbsVolumeConfig") or {}).get("VolumeSizeInGB")
        found = quotas.quota(call.runtime, call.region, "sagemaker", EBS_GB_PER_INSTANCE)
        if size_gb and found and found.value is not None and size_gb > found.value:
            raise AwsError(
                "ResourceLimitExceeded",
                f"The account-level service limit '{found.name}' is {int(found.value)} GB, with "
                f"current utilization of 0 GB and a request delta of {size_gb} GB. Please use AWS "
                "Service Quotas to request an increase for this quota. If AWS Service Quotas is "
                "not available, contact AWS support to request an increase for this quota.",
            )


def _require(call: Call, code: str, more: int) -> None:
    quotas.require(call.runtime, call.account, call.region, "sagemaker", code, more)


def _require_per_cluster(call: Call, code: str, total: int) -> None:
    """Refuse what exceeds a quota per cluster, which other clusters' usage does not affect."""
    found = quotas.quota(call.runtime, call.region, "sagemaker", code)
    if found is not None and found.value is not None and total > found.value:
        raise AwsError(
            "ResourceLimitExceeded",
            f"The account-level service limit '{found.name}' is {int(found.value)} Instances, "
            f"with current utilization of 0 Instances and a request delta of {total} Instances. "
            "Please use AWS Service Quotas to request an increase for this quota. If AWS Service "
            "Quotas is not available, contact AWS support to request an increase for this quota.",
        )


def all_groups(request: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [*request.get("InstanceGroups", ()), *request.get("RestrictedInstanceGroups", ())]


def group_types(group: Mapping[str, Any]) -> list[str]:
    if group.get("InstanceType"):
        return [str(group["InstanceType"])]
    return list(group["InstanceRequirements"]["InstanceTypes"])
