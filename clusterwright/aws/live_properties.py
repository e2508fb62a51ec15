"""Live properties of deployed resources, with the names of CloudFormation's properties.

One describe call for each type. A reader returns, by physical id, the properties that the API
shows; a property that the API does not show is left out, and one that is not set is None or empty.
An id that is missing in the result does not exist any more.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from clusterwright.aws import hyperpod, kms, live_permissions
from clusterwright.aws.errors import AwsUnavailable, is_not_found
from clusterwright.aws.session import AwsSession

Properties = Mapping[str, Any]
Reader = Callable[[AwsSession, Sequence[str]], Mapping[str, Properties]]


def _filtered(
    session: AwsSession, operation: str, key: str, name: str, ids: Sequence[str]
) -> list[Mapping[str, Any]]:
    """Items by a filter: an id that does not exist is no error."""
    return [
        item
        for start in range(0, len(ids), 200)
        for item in session.items(
            "ec2",
            operation,
            key,
            Filters=[{"Name": name, "Values": list(ids[start : start + 200])}],
        )
    ]


def _vpcs(session: AwsSession, ids: Sequence[str]) -> Mapping[str, Properties]:
    found = _filtered(session, "DescribeVpcs", "Vpcs", "vpc-id", ids)
    return {
        each["VpcId"]: {
            "CidrBlock": each.get("CidrBlock"),
            "InstanceTenancy": each.get("InstanceTenancy"),
        }
        for each in found
    }


def _subnets(session: AwsSession, ids: Sequence[str]) -> Mapping[str, Properties]:
    found = _filtered(session, "DescribeSubnets", "Subnets", "subnet-id", ids)
    return {
        each["SubnetId"]: {
            "VpcId": each.get("VpcId"),
            "CidrBlock": each.get("CidrBlock"),
            "AvailabilityZone": each.get("AvailabilityZone"),
            "MapPublicIpOnLaunch": each.get("MapPublicIpOnLaunch"),
        }
        for each in found
    }


def _endpoints(session: AwsSession, ids: Sequence[str]) -> Mapping[str, Properties]:
    found = session.items("ec2", "DescribeVpcEndpoints", "VpcEndpoints")
    return {
        each["VpcEndpointId"]: {
            "VpcId": each.get("VpcId"),
            "ServiceName": each.get("ServiceName"),
            "VpcEndpointType": each.get("VpcEndpointType"),
            "PrivateDnsEnabled": each.get("PrivateDnsEnabled"),
            "SubnetIds": list(each.get("SubnetIds") or ()),
            "RouteTableIds": list(each.get("RouteTableIds") or ()),
            "SecurityGroupIds": [group["GroupId"] for group in each.get("Groups") or ()],
            "PolicyDocument": _json(each.get("PolicyDocument")),
        }
        for each in found
        if each["VpcEndpointId"] in ids
        and str(each.get("State", "available")).lower() not in ("deleted", "deleting")
    }


def _route_tables(session: AwsSession, ids: Sequence[str]) -> Mapping[str, Properties]:
    """Also `Routes`, by destination: those that somebody created, without those of gateways."""
    found = _filtered(session, "DescribeRouteTables", "RouteTables", "route-table-id", ids)
    return {
        each["RouteTableId"]: {
            "VpcId": each.get("VpcId"),
            "Routes": {
                destination: _target(route)
                for route in each.get("Routes") or ()
                if (
                    destination := route.get("DestinationCidrBlock")
                    or route.get("DestinationIpv6CidrBlock")
                    or route.get("DestinationPrefixListId")
                )
                and _target(route) != "local"
                and not str(_target(route)).startswith("vpce-")
            },
            "Subnets": sorted(
                association["SubnetId"]
                for association in each.get("Associations") or ()
                if association.get("SubnetId")
            ),
        }
        for each in found
    }


def _target(route: Mapping[str, Any]) -> str | None:
    names = (
        "GatewayId",
        "NatGatewayId",
        "TransitGatewayId",
        "NetworkInterfaceId",
        "VpcPeeringConnectionId",
        "EgressOnlyInternetGatewayId",
        "CarrierGatewayId",
        "LocalGatewayId",
        "CoreNetworkArn",
        "InstanceId",
    )
    return next((str(route[name]) for name in names if route.get(name)), None)


def _launch_templates(session: AwsSession, ids: Sequence[str]) -> Mapping[str, Properties]:
    found = {}
    for identifier in ids:
        try:
            versions = list(
                session.items(
                    "ec2",
                    "DescribeLaunchTemplateVersions",
                    "LaunchTemplateVersions",
                    LaunchTemplateId=identifier,
                    Versions=["$Latest"],
                )
            )
        except AwsUnavailable as error:
            if is_not_found(error) or (error.code or "").endswith("NotFound"):
                continue
            raise
        if versions:
            found[identifier] = {"LaunchTemplateData": versions[0].get("LaunchTemplateData") or {}}
    return found


def _placement_groups(session: AwsSession, ids: Sequence[str]) -> Mapping[str, Properties]:
    found = _filtered(session, "DescribePlacementGroups", "PlacementGroups", "group-name", ids)
    return {each["GroupName"]: {"Strategy": each.get("Strategy")} for each in found}


def _hyperpod_clusters(session: AwsSession, ids: Sequence[str]) -> Mapping[str, Properties]:
    found: dict[str, Properties] = {}
    for identifier in ids:
        cluster = hyperpod.deployed_cluster(session, identifier)
        if cluster is None:
            continue
        found[identifier] = {
            "NodeRecovery": cluster.node_recovery,
            "NodeProvisioningMode": "Continuous" if cluster.continuous else None,
            **{
                name: [
                    _instance_group(group)
                    for group in cluster.groups
                    if group.restricted is restricted and len(group.instance_types) == 1
                ]
                for name, restricted in _GROUPS
            },
        }
    return found


_GROUPS: Final = (("InstanceGroups", False), ("RestrictedInstanceGroups", True))


def _instance_group(group: hyperpod.DeployedGroup) -> Properties:
    properties: dict[str, Any] = {
        "InstanceGroupName": group.name,
        "InstanceType": group.instance_types[0] and f"ml.{group.instance_types[0]}",
        "InstanceCount": group.target_count,
    }
    if not group.restricted:
        properties["LifeCycleConfig"] = {"SourceS3Uri": group.scripts_s3_uri}
    if group.current_image:
        properties["ImageReleaseVersion"] = group.current_image
    return properties


def _file_systems(session: AwsSession, ids: Sequence[str]) -> Mapping[str, Properties]:
    found = {}
    for each in session.items("fsx", "DescribeFileSystems", "FileSystems"):
        if each["FileSystemId"] not in ids:
            continue
        lustre = each.get("LustreConfiguration") or {}
        zfs = each.get("OpenZFSConfiguration") or {}
        properties: dict[str, Any] = {
            "FileSystemType": each.get("FileSystemType"),
            "StorageCapacity": each.get("StorageCapacity"),
            "StorageType": each.get("StorageType"),
            "SubnetIds": list(each.get("SubnetIds") or ()),
        }
        if lustre:
            properties["LustreConfiguration"] = {
                name: lustre.get(name)
                for name in (
                    "DeploymentType",
                    "PerUnitStorageThroughput",
                    "DataCompressionType",
                    "WeeklyMaintenanceStartTime",
                    "AutomaticBackupRetentionDays",
                )
                if name in lustre
            }
        if zfs:
            properties["OpenZFSConfiguration"] = {
                name: zfs.get(name)
                for name in ("DeploymentType", "ThroughputCapacity")
                if name in zfs
            }
        found[each["FileSystemId"]] = properties
    return found


def _associations(session: AwsSession, ids: Sequence[str]) -> Mapping[str, Properties]:
    found = {}
    for page in session.pages("fsx", "DescribeDataRepositoryAssociations"):
        for each in page.get("Associations") or ():
            if each["AssociationId"] in ids:
                policies = each.get("S3") or {}
                found[each["AssociationId"]] = {
                    "FileSystemPath": each.get("FileSystemPath"),
                    "DataRepositoryPath": each.get("DataRepositoryPath"),
                    "S3": {
                        name: {"Events": list((policies.get(name) or {}).get("Events") or ())}
                        for name in ("AutoImportPolicy", "AutoExportPolicy")
                        if name in policies
                    },
                }
    return found


def _alarms(session: AwsSession, ids: Sequence[str]) -> Mapping[str, Properties]:
    return {
        each["AlarmName"]: {"ActionsEnabled": each.get("ActionsEnabled")}
        for start in range(0, len(ids), 100)
        for each in session.items(
            "cloudwatch",
            "DescribeAlarms",
            "MetricAlarms",
            AlarmNames=list(ids[start : start + 100]),
        )
    }


def _keys(session: AwsSession, ids: Sequence[str]) -> Mapping[str, Properties]:
    return {
        each: {"KeyPolicy": _json(policy)}
        for each in ids
        if (policy := kms.key_policy(session, each)) is not None
    }


def _json(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


READERS: Final[Mapping[str, Reader]] = {
    "AWS::CloudWatch::Alarm": _alarms,
    "AWS::EC2::LaunchTemplate": _launch_templates,
    "AWS::EC2::PlacementGroup": _placement_groups,
    "AWS::EC2::RouteTable": _route_tables,
    "AWS::EC2::Subnet": _subnets,
    "AWS::EC2::VPC": _vpcs,
    "AWS::EC2::VPCEndpoint": _endpoints,
    "AWS::FSx::DataRepositoryAssociation": _associations,
    "AWS::FSx::FileSystem": _file_systems,
    "AWS::IAM::ManagedPolicy": live_permissions.managed_policies,
    "AWS::IAM::Role": live_permissions.roles,
    "AWS::KMS::Key": _keys,
    "AWS::SageMaker::Cluster": _hyperpod_clusters,
}
"""Readers by CloudFormation type."""
