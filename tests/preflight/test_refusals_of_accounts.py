"""Account rules about what is in the account: where one fails, AWS refuses what is deployed.

`test_refusals_of_worlds.py` has the rules about a world's quotas, offers and plans. Of every
account rule one of the two shows the refusal, or `NOT_REFUSED` says why AWS has none.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from clusterwright.cli.main import main
from clusterwright.preflight.registry import rule_files
from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import (
    Site,
    build_site,
    client,
    deploy,
    failure,
    open_lustre_ports,
    trust,
)
from packages.localaws.tests.pcs_parts import PcsSite, add_pcs
from tests.preflight.refusal_cases import ACCOUNT
from tests.preflight.refusal_cases import CASES as IN_WORLDS
from tests.preflight.rules.support.pcs import SPEC as PCS
from tests.support import specs

# Changes of the spec, the template that deploys them, and the resource that fails; or the
# call to AWS where no built platform makes it, and the code of the refusal.
Made = tuple[dict[str, Any], dict[str, Any] | Callable[[], None], str]
CASES: dict[str, Callable[[Site], Made]] = {}
WORLDS: dict[str, dict[str, Any]] = {
    "CW-Q032": {"quotas": {"fsx/L-0CD18A5D": 2000}},
    "CW-Q033": {"quotas": {"fsx/L-736F3D6F": 5000}},
    "CW-E009": {
        "organization": {
            "tag_policy": {
                "tags": {"owner": {"tag_value": ["ml"], "enforced_for": ["ec2:ALL_SUPPORTED"]}}
            }
        }
    },
    "CW-N022": {
        "subnets": [
            {
                "id": "subnet-0a1b2c3d4e5f60001",
                "vpc_id": "vpc-0a1b2c3d4e5f60001",
                "cidr": "10.0.0.0/20",
                "zone_id": "use1-az6",
                "security_group_ids": ["sg-0a1b2c3d4e5f60001"],
                "closed": True,
            }
        ]
    },
}

WORLDS["CW-N031"] = WORLDS["CW-N022"]
WORLDS["CW-Q063"] = {"quotas": {"pcs/L-00000000": 1}}
WORLDS["CW-E015"] = {"delays": {"pcs_cluster": 60}}

NOT_REFUSED = {
    "CW-E011": "as CW-I011",
    "CW-E012": "as CW-I011",
    "CW-E013": "a budget acts days after the deployment",
    "CW-E016": "the local AWS has PCS in every region",
    "CW-I025": "sessions are opened with nodes, after the deployment",
    "CW-N032": "as CW-I011",
    "CW-Q096": "the workspace refuses samples of nodes, after the deployment",
    "CW-S036": "S3 deletes or archives the objects days after the deployment",
    "CW-C015": "a plan that ends before the run does takes its nodes with it, hours or days later",
    "CW-I003": "the credentials of another account deploy there, into whatever it has",
    "CW-E007": "CloudFormation refuses the update: localaws/tests/cloudformation/test_update.py",
    "CW-I009": "as CW-I005",
    "CW-I010": "the CDK reads the version itself, and deploys nothing",
    "CW-I011": "tests/preflight/test_refusals_enforced.py, where IAM is enforced",
    "CW-I012": "as CW-I011",
    "CW-I013": "the local AWS makes the roles of services for everybody",
    "CW-I014": "the local AWS takes any ImageId, since HyperPod's own images are not published",
    "CW-I016": "the deployed role is put right by the deployment; its boundary is CW-I012's",
    "CW-I026": "ParallelCluster refuses the key pair itself: the local AWS launches with any name",
    "CW-I027": "kubelet pulls the image long after the deployment",
    "CW-I032": "nodes pull from the repository long after the deployment",
    "CW-E018": "the local AWS has Grafana in every region",
    "CW-I033": "as CW-I028",
    "CW-I028": "the local AWS takes any instance of Identity Center",
    "CW-I031": "a warning: whether the image fits is seen when its agent runs; the scenario "
    "bootstrap-fails",
    "CW-S038": "as CW-S022",
    "CW-S042": "a warning: no document states what FSx answers",
    "CW-S039": "FSx takes any prefix: nodes see an empty folder",
    "CW-I022": "instances that lack the key start, and terminate at once: the local AWS encrypts "
    "no volumes",
    "CW-S022": "home directories are mounted by nodes, which AWS does not follow",
    "CW-S023": "as CW-S022",
    "CW-S033": "the checkpoints are lost with the file system, long after the deployment",
    "CW-S034": "nothing but time is lost",
    "CW-I005": "nothing reads the secret but slurmdbd, on the controller, after the deployment",
    "CW-N008": "HyperPod's health checks find it on the nodes; CreateCluster takes the groups",
    "CW-N010": "an update of a full subnet: services/sagemaker/test_clusters.py of the local AWS",
    "CW-N011": "the names that do not resolve are looked up by nodes, not by AWS",
    "CW-N012": "a warning: HyperPod gives its nodes no public address whatever the subnet says",
    "CW-N020": "two networks with the same addresses are each as good as the other to AWS; what "
    "refuses is the peering connection, which is not ours",
    "CW-N023": "CreateCluster looks into no security group of an endpoint; nodes time out later",
    "CW-N024": "CreateCluster reads no endpoint policy; nodes get AccessDenied from S3 later",
    "CW-N030": "as CW-N024",
    "CW-N025": "CreateCluster reads no access list; connections of nodes hang later",
    "CW-N026": "a warning: other name servers may forward AWS's names, which nobody can see",
    "CW-N036": "the load balancer controller looks for subnets after the deployment",
    "CW-N029": "slurmdbd asks the database, on the controller, after the deployment",
    "CW-N028": "a warning: it works, and costs by the GB",
    "CW-C017": "a warning: the plan stands until the end that it was paid for",
    "CW-C036": "as CW-C015, for reservations and capacity blocks",
    "CW-C037": "a warning: an open reservation takes these nodes too, while there is room",
    "CW-C039": "instances of an UltraServer that is not whole start as others do, and the local "
    "AWS has no broken ones",
    "CW-Q050": "a warning on HyperPod, of whose interfaces no source lists it whether they "
    "count; the "
    "local AWS counts no units",
    "CW-S014": "the file system is mounted by nodes, which AWS does not follow",
    "CW-S040": "FSx deletes a file system whatever is in it: that is what the rule is for",
    "CW-S015": "clients reach it over TCP, or not at all: AWS answers nothing to either",
}


def case(rule: str) -> Callable[[Callable[[Site], Made]], Callable[[Site], Made]]:
    def keep(function: Callable[[Site], Made]) -> Callable[[Site], Made]:
        CASES[rule] = function
        return function

    return keep


def existing(site: Site, **changes: Any) -> dict[str, Any]:
    found = {
        "vpc_id": site.vpc_id,
        "subnet_ids": [site.subnet_id],
        "security_group_ids": [site.group_id],
        **changes,
    }
    return {"network": {"availability_zone_id": "use1-az6", "existing": found}}


def cluster(site: Site, **properties: Any) -> dict[str, Any]:
    groups = [site.controller(), site.group("workers", properties.pop("count", 4))]
    return {
        "Cluster": {
            "Type": "AWS::SageMaker::Cluster",
            "Properties": {
                "ClusterName": "train",
                "InstanceGroups": groups,
                "VpcConfig": site.vpc_config,
                "Orchestrator": {"Slurm": {"SlurmConfigStrategy": "Managed"}},
                **properties,
            },
        }
    }


def lustre(site: Site, **configuration: Any) -> dict[str, Any]:
    open_lustre_ports(site)
    given = {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 250, **configuration}
    return {
        "Files": {
            "Type": "AWS::FSx::FileSystem",
            "Properties": {
                "FileSystemType": "LUSTRE",
                "StorageCapacity": 4800,
                "SubnetIds": [site.subnet_id],
                "SecurityGroupIds": [site.group_id],
                "LustreConfiguration": given,
            },
        }
    }


@case("CW-C016")
def plan_for_training_jobs(site: Site) -> Made:
    sagemaker = client("sagemaker")
    offering = sagemaker.search_training_plan_offerings(
        InstanceType="ml.p5.48xlarge",
        InstanceCount=4,
        DurationHours=168,
        TargetResources=["training-job"],
    )["TrainingPlanOfferings"][0]
    arn = sagemaker.create_training_plan(
        TrainingPlanName="jobs", TrainingPlanOfferingId=offering["TrainingPlanOfferingId"]
    )["TrainingPlanArn"]
    resources = cluster(site)
    resources["Cluster"]["Properties"]["InstanceGroups"][1]["TrainingPlanArn"] = arn
    return {"compute.1.capacity": {"kind": "training-plan", "arn": arn}}, resources, "Cluster"


@case("CW-I002")
def key_to_be_deleted(site: Site) -> Made:
    kms = client("kms")
    arn = kms.create_key()["KeyMetadata"]["Arn"]
    kms.schedule_key_deletion(KeyId=arn, PendingWindowInDays=7)
    files = lustre(site)
    files["Files"]["Properties"]["KmsKeyId"] = arn
    return {"identity.kms_key_arn": arn}, files, "Files"


@case("CW-I004")
def no_boundary(site: Site) -> Made:
    arn = f"arn:aws:iam::{ACCOUNT}:policy/none"
    trust = {
        "Effect": "Allow",
        "Principal": {"Service": "sagemaker.amazonaws.com"},
        "Action": "sts:AssumeRole",
    }
    role = {
        "AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": [trust]},
        "PermissionsBoundary": arn,
    }
    resources = {"Role": {"Type": "AWS::IAM::Role", "Properties": role}}
    return {"identity.permissions_boundary_arn": arn}, resources, "Role"


@case("CW-I008")
def key_without_logs(site: Site) -> Made:
    arn = client("kms").create_key()["KeyMetadata"]["Arn"]
    group = {"LogGroupName": "/clusterwright/test/flow-logs", "KmsKeyId": arn}
    resources = {"Group": {"Type": "AWS::Logs::LogGroup", "Properties": group}}
    return {"identity.kms_key_arn": arn}, resources, "Group"


@case("CW-E002")
def cluster_of_that_name(site: Site) -> Made:
    site.create(site.group("workers", 1), name="test")
    return {}, cluster(site, ClusterName="test"), "Cluster"


@case("CW-E003")
def log_group_of_that_name(site: Site) -> Made:
    name = "/clusterwright/test/log-keeper"
    client("logs").create_log_group(logGroupName=name)
    group = {"Type": "AWS::Logs::LogGroup", "Properties": {"LogGroupName": name}}
    return {}, {"Group": group}, "Group"


@case("CW-E004")
def alias_of_that_name(site: Site) -> Made:
    key = client("kms").create_key()["KeyMetadata"]["KeyId"]
    client("kms").create_alias(AliasName="alias/test", TargetKeyId=key)
    alias = {"AliasName": "alias/test", "TargetKeyId": key}
    return {}, {"Alias": {"Type": "AWS::KMS::Alias", "Properties": alias}}, "Alias"


@case("CW-E005")
def secret_that_is_being_deleted(site: Site) -> Made:
    name = "test/munge-key"
    client("secretsmanager").create_secret(Name=name, SecretString="x")
    client("secretsmanager").delete_secret(SecretId=name)
    secret = {"Type": "AWS::SecretsManager::Secret", "Properties": {"Name": name}}
    changes = {
        "slurm": {"configuration": "scripted"},
        "resilience.node_provisioning": "all-at-once",
    }
    return changes, {"Secret": secret}, "Secret"


@case("CW-E006")
def budget_of_that_name(site: Site) -> Made:
    limit = {"Amount": "10", "Unit": "USD"}
    budget = {
        "BudgetName": "test-monthly",
        "BudgetType": "COST",
        "TimeUnit": "MONTHLY",
        "BudgetLimit": limit,
    }
    client("budgets").create_budget(AccountId=ACCOUNT, Budget=budget)
    made = {"Type": "AWS::Budgets::Budget", "Properties": {"Budget": budget}}
    made["Properties"]["Budget"] = {**budget, "BudgetLimit": {"Amount": 10, "Unit": "USD"}}
    changes = {"budget": {"monthly_usd": 10, "alert_emails": ["a@acme.example"]}}
    return changes, {"Budget": made}, "Budget"


@case("CW-E009")
def tag_that_the_organisation_forbids(site: Site) -> Made:
    group = {
        "GroupDescription": "nodes",
        "VpcId": site.vpc_id,
        "Tags": [{"Key": "owner", "Value": "sales"}],
    }
    resources = {"Group": {"Type": "AWS::EC2::SecurityGroup", "Properties": group}}
    return {"tags": {"owner": "sales"}}, resources, "Group"


@case("CW-N006")
def no_vpc(site: Site) -> Made:
    group = {"GroupDescription": "nodes", "VpcId": "vpc-0a1b2c3d4e5f60718"}
    resources = {"Group": {"Type": "AWS::EC2::SecurityGroup", "Properties": group}}
    return existing(site, vpc_id="vpc-0a1b2c3d4e5f60718"), resources, "Group"


@case("CW-N007")
def no_subnet(site: Site) -> Made:
    missing = "subnet-0a1b2c3d4e5f60718"
    network = {**site.vpc_config, "Subnets": [missing]}
    changes = existing(site, subnet_ids=[missing])
    return changes, cluster(site, VpcConfig=network), "Cluster"


@case("CW-N009")
def full_subnet(site: Site) -> Made:
    small = client("ec2").create_subnet(
        VpcId=site.vpc_id, CidrBlock="10.0.255.0/28", AvailabilityZoneId="use1-az6"
    )["Subnet"]["SubnetId"]
    network = {**site.vpc_config, "Subnets": [small]}
    return existing(site, subnet_ids=[small]), cluster(site, VpcConfig=network), "Cluster"


@case("CW-N021")
def no_room_to_grow(site: Site) -> Made:
    small = client("ec2").create_subnet(
        VpcId=site.vpc_id, CidrBlock="10.0.255.0/24", AvailabilityZoneId="use1-az6"
    )["Subnet"]["SubnetId"]
    network = {**site.vpc_config, "Subnets": [small]}
    changes = {**existing(site, subnet_ids=[small]), "compute.1.max_count": 16}
    return changes, cluster(site, VpcConfig=network, count=16), "Cluster"


CLOSED_VPC, CLOSED_SUBNET = "vpc-0a1b2c3d4e5f60001", "subnet-0a1b2c3d4e5f60001"
CLOSED_GROUP = "sg-0a1b2c3d4e5f60001"


@case("CW-N022")
def no_egress_path(site: Site) -> Made:
    changes = existing(
        site,
        vpc_id=CLOSED_VPC,
        subnet_ids=[CLOSED_SUBNET],
        security_group_ids=[CLOSED_GROUP],
    )
    network = {"Subnets": [CLOSED_SUBNET], "SecurityGroupIds": [CLOSED_GROUP]}
    return changes, cluster(site, VpcConfig=network), "Cluster"


@case("CW-N031")
def gateway_behind_a_block(site: Site) -> Made:
    ec2 = client("ec2")
    gateway = ec2.create_nat_gateway(SubnetId=CLOSED_SUBNET, ConnectivityType="private")
    tables = ec2.describe_route_tables(Filters=[{"Name": "vpc-id", "Values": [CLOSED_VPC]}])
    ec2.create_route(
        RouteTableId=tables["RouteTables"][0]["RouteTableId"],
        DestinationCidrBlock="0.0.0.0/0",
        NatGatewayId=gateway["NatGateway"]["NatGatewayId"],
    )
    ec2.modify_vpc_block_public_access_options(InternetGatewayBlockMode="block-bidirectional")
    return no_egress_path(site)


ON_EC2 = {"platform": "parallelcluster"}


def launched(**more: Any) -> Callable[[], None]:
    """Launch an instance of an image of Amazon."""

    def run() -> None:
        client("ec2").run_instances(
            ImageId="ami-12c6146b", InstanceType="m5.large", MinCount=1, MaxCount=1, **more
        )

    return run


@case("CW-I023")
def image_of_a_provider_that_is_not_allowed(site: Site) -> Made:
    del site
    ec2 = client("ec2")
    ec2.replace_image_criteria_in_allowed_images_settings(
        ImageCriteria=[{"ImageProviders": ["222233334444"]}]
    )
    ec2.enable_allowed_images_settings(AllowedImagesSettingsState="enabled")
    return ON_EC2, launched(), "InvalidAMIID.NotFound"


@case("CW-I024")
def tag_that_metadata_cannot_show(site: Site) -> Made:
    del site
    client("ec2").modify_instance_metadata_defaults(InstanceMetadataTags="enabled")
    tags = [{"ResourceType": "instance", "Tags": [{"Key": "acme/team", "Value": "ml"}]}]
    changes = {**ON_EC2, "tags": {"acme/team": "ml"}}
    return changes, launched(TagSpecifications=tags), "is not a valid tag key"


def launch(site: Site, reservation: str) -> Callable[[], None]:
    """Launch a node into a reservation, as the platforms on EC2 do."""
    target = {"CapacityReservationTarget": {"CapacityReservationId": reservation}}

    def run() -> None:
        client("ec2").run_instances(
            ImageId="ami-12c6146b",
            InstanceType="p5.48xlarge",
            MinCount=1,
            MaxCount=1,
            SubnetId=site.subnet_id,
            CapacityReservationSpecification=target,
        )

    return run


def reserve(**more: Any) -> str:
    made = client("ec2").create_capacity_reservation(
        **{
            "InstanceType": "p5.48xlarge",
            "InstancePlatform": "Linux/UNIX",
            "AvailabilityZoneId": "use1-az6",
            "InstanceCount": 8,
            "InstanceMatchCriteria": "targeted",
            **more,
        }
    )
    return str(made["CapacityReservation"]["CapacityReservationId"])


def from_reservation(reservation: str) -> dict[str, Any]:
    return {**ON_EC2, "compute.1.capacity": {"kind": "reservation", "id": reservation}}


@case("CW-C034")
def reservation_for_windows(site: Site) -> Made:
    reservation = reserve(InstancePlatform="Windows")
    return from_reservation(reservation), launch(site, reservation), "ReservationCapacityExceeded"


@case("CW-C038")
def reservation_in_a_placement_group(site: Site) -> Made:
    ec2 = client("ec2")
    group = ec2.create_placement_group(GroupName="theirs", Strategy="cluster")["PlacementGroup"]
    reservation = reserve(PlacementGroupArn=group["GroupArn"])
    return from_reservation(reservation), launch(site, reservation), "ReservationCapacityExceeded"


@case("CW-N013")
def database_in_one_zone(site: Site) -> Made:
    second = client("ec2").create_subnet(
        VpcId=site.vpc_id, CidrBlock="10.0.254.0/24", AvailabilityZoneId="use1-az6"
    )["Subnet"]["SubnetId"]
    subnets = [site.subnet_id, second]
    group = {"DBSubnetGroupDescription": "accounting", "SubnetIds": subnets}
    resources = {"Group": {"Type": "AWS::RDS::DBSubnetGroup", "Properties": group}}
    changes = existing(site, database_subnet_ids=subnets)
    return {**changes, "slurm": {"accounting": {"kind": "rds"}}}, resources, "Group"


WORKERS = [{"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 4}]


def eks_role() -> str:
    document = json.dumps(trust("eks.amazonaws.com"))
    made = client("iam").create_role(RoleName="eks", AssumeRolePolicyDocument=document)
    return str(made["Role"]["Arn"])


def control_plane(site: Site, name: str, zone: str) -> Callable[[], None]:
    """An EKS cluster in the site's subnet and in another one of this zone."""
    other = client("ec2").create_subnet(
        VpcId=site.vpc_id, CidrBlock="10.0.254.0/24", AvailabilityZoneId=zone
    )["Subnet"]["SubnetId"]
    role = eks_role()
    subnets = {"subnetIds": [site.subnet_id, other]}

    def make() -> None:
        client("eks").create_cluster(name=name, roleArn=role, resourcesVpcConfig=subnets)

    return make


@case("CW-E008")
def eks_cluster_of_that_name(site: Site) -> Made:
    make = control_plane(site, "test", "use1-az2")
    make()
    return {"platform": "eks", "compute": WORKERS}, make, "already exists"


@case("CW-N027")
def control_plane_in_one_zone(site: Site) -> Made:
    make = control_plane(site, "test", "use1-az6")
    found = client("ec2").describe_subnets(Filters=[{"Name": "vpc-id", "Values": [site.vpc_id]}])[
        "Subnets"
    ]
    changes = existing(site, control_plane_subnet_ids=[s["SubnetId"] for s in found])
    changes = {**changes, "platform": "eks", "compute": WORKERS}
    return changes, make, "at least two different AZs"


@case("CW-N035")
def control_plane_in_a_dedicated_network(site: Site) -> Made:
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.8.0.0/16", InstanceTenancy="dedicated")["Vpc"]["VpcId"]
    subnets = [
        ec2.create_subnet(VpcId=vpc, CidrBlock=cidr, AvailabilityZoneId=zone)["Subnet"]["SubnetId"]
        for cidr, zone in (("10.8.0.0/20", "use1-az6"), ("10.8.16.0/20", "use1-az2"))
    ]
    role = eks_role()

    def make() -> None:
        client("eks").create_cluster(
            name="test", roleArn=role, resourcesVpcConfig={"subnetIds": subnets}
        )

    changes = existing(site, vpc_id=vpc, subnet_ids=subnets[:1], control_plane_subnet_ids=subnets)
    return {**changes, "platform": "eks", "compute": WORKERS}, make, "unsupported tenancy"


@case("CW-Q032")
def throughput_beyond_the_quota(site: Site) -> Made:
    files = lustre(site)
    properties = files["Files"]["Properties"]
    del properties["StorageCapacity"]
    properties["StorageType"] = "INTELLIGENT_TIERING"
    properties["LustreConfiguration"] = {
        "DeploymentType": "PERSISTENT_2",
        "ThroughputCapacity": 4000,
        "DataReadCacheConfiguration": {"SizingMode": "PROPORTIONAL_TO_THROUGHPUT_CAPACITY"},
        "MetadataConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 6000},
    }
    wanted = {
        "mount_path": "/fsx",
        "storage_type": "INTELLIGENT_TIERING",
        "throughput_mbps": 4000,
    }
    return {"storage.lustre": [wanted]}, files, "Files"


@case("CW-Q033")
def disks_beyond_the_quota(site: Site) -> Made:
    files = lustre(site, DeploymentType="PERSISTENT_1", PerUnitStorageThroughput=12)
    files["Files"]["Properties"].update(StorageCapacity=6000, StorageType="HDD")
    wanted = {
        "mount_path": "/fsx",
        "deployment_type": "PERSISTENT_1",
        "storage_type": "HDD",
        "capacity_gib": 6000,
        "throughput_mbps_per_tib": 12,
    }
    return {"storage.lustre": [wanted]}, files, "Files"


@case("CW-S010")
def no_bucket(site: Site) -> Made:
    return repository(site, "no-such-corpus")


@case("CW-S011")
def bucket_of_another_region(site: Site) -> Made:
    boto3.client("s3", "eu-west-1").create_bucket(
        Bucket="far-corpus", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"}
    )
    return repository(site, "far-corpus")


@case("CW-S024")
def files_of_another_vpc(site: Site) -> Made:
    ec2, fsx = client("ec2"), client("fsx")
    vpc = ec2.create_vpc(CidrBlock="10.8.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.8.0.0/24", AvailabilityZoneId="use1-az6")[
        "Subnet"
    ]["SubnetId"]
    group = ec2.create_security_group(GroupName="files", Description="Lustre", VpcId=vpc)
    there = Site(vpc, subnet, group["GroupId"], site.role_arn)
    open_lustre_ports(there)
    found = fsx.create_file_system(
        FileSystemType="LUSTRE",
        StorageCapacity=1200,
        SubnetIds=[subnet],
        SecurityGroupIds=[there.group_id],
        LustreConfiguration={"DeploymentType": "SCRATCH_2"},
    )["FileSystem"]
    standing = {
        "id": found["FileSystemId"],
        "dns_name": found["DNSName"],
        "mount_name": found["LustreConfiguration"]["MountName"],
        "security_group_id": there.group_id,
    }
    network = {**site.vpc_config, "SecurityGroupIds": [site.group_id, there.group_id]}
    changes = existing(site)
    changes["storage.lustre"] = [{"mount_path": "/fsx", "existing": standing}]
    return changes, cluster(site, VpcConfig=network), "Cluster"


@case("CW-S025")
def bucket_that_denies(site: Site) -> Made:
    client("s3").create_bucket(Bucket="closed-corpus")
    denied = {
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:GetObject",
        "Resource": "arn:aws:s3:::closed-corpus/*",
        "Condition": {"StringNotLike": {"aws:PrincipalArn": "arn:aws:iam::*:role/admin"}},
    }
    client("s3").put_bucket_policy(
        Bucket="closed-corpus",
        Policy=json.dumps({"Version": "2012-10-17", "Statement": [denied]}),
    )
    return repository(site, "closed-corpus")


@case("CW-S026")
def bucket_with_a_closed_key(site: Site) -> Made:
    client("s3").create_bucket(Bucket="sealed-corpus")
    arn = client("kms").create_key()["KeyMetadata"]["Arn"]
    default = {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": arn}
    rule = {"ApplyServerSideEncryptionByDefault": default, "BucketKeyEnabled": True}
    client("s3").put_bucket_encryption(
        Bucket="sealed-corpus", ServerSideEncryptionConfiguration={"Rules": [rule]}
    )
    return repository(site, "sealed-corpus")


@case("CW-S035")
def bucket_that_notifies_others(site: Site) -> Made:
    client("s3").create_bucket(Bucket="busy-corpus")
    queue = client("sqs").create_queue(QueueName="ingest")["QueueUrl"].rpartition("/")[2]
    arn = f"arn:aws:sqs:us-east-1:{ACCOUNT}:{queue}"
    client("s3").put_bucket_notification_configuration(
        Bucket="busy-corpus",
        NotificationConfiguration={
            "QueueConfigurations": [{"QueueArn": arn, "Events": ["s3:ObjectCreated:*"]}]
        },
    )
    return repository(site, "busy-corpus")


@case("CW-S028")
def bucket_of_that_name(site: Site) -> Made:
    client("s3").create_bucket(Bucket="acme-results")
    made = {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "acme-results"}}
    changes = {"storage.buckets": [{"name": "acme-results", "create": True}]}
    return changes, {"Bucket": made}, "Bucket"


@case("CW-E017")
def image_repository_of_that_name(site: Site) -> Made:
    client("ecr").create_repository(repositoryName="training")
    made = {"Type": "AWS::ECR::Repository", "Properties": {"RepositoryName": "training"}}
    changes = {"storage.image_repositories": [{"name": "training", "create": True}]}
    return changes, {"Repository": made}, "Repository"


def repository(site: Site, bucket: str) -> Made:
    link = {
        "FileSystemId": {"Ref": "Files"},
        "FileSystemPath": "/data",
        "DataRepositoryPath": f"s3://{bucket}/tokens",
        "S3": {"AutoImportPolicy": {"Events": ["NEW"]}},
    }
    resources = lustre(site)
    resources["Link"] = {"Type": "AWS::FSx::DataRepositoryAssociation", "Properties": link}
    wanted = {"s3": f"s3://{bucket}/tokens", "path": "/data", "import": ["NEW"]}
    return {"storage.lustre": [{**specs.LUSTRE, "repositories": [wanted]}]}, resources, "Link"


def on_eks(site: Site, operation: str, **request: Any) -> Callable[[], None]:
    """A request about an EKS cluster that exists."""
    control_plane(site, "other", "use1-az2")()
    waiter = client("eks").get_waiter("cluster_active")
    waiter.wait(name="other", WaiterConfig={"Delay": 1, "MaxAttempts": 60})
    client("eks").update_cluster_config(
        name="other", accessConfig={"authenticationMode": "API_AND_CONFIG_MAP"}
    )
    waiter.wait(name="other", WaiterConfig={"Delay": 1, "MaxAttempts": 60})

    def ask() -> None:
        getattr(client("eks"), operation)(clusterName="other", **request)

    return ask


@case("CW-I018")
def principal_that_does_not_exist(site: Site) -> Made:
    arn = f"arn:aws:iam::{ACCOUNT}:role/nobody"
    access = {"kubernetes": {"access": [{"principal_arn": arn, "policy": "view"}]}}
    made = on_eks(site, "create_access_entry", principalArn=arn)
    return {"platform": "eks", "compute": WORKERS, **access}, made, "invalid principal"


@case("CW-I019")
def role_that_does_not_trust_pods(site: Site) -> Made:
    made = on_eks(
        site,
        "create_pod_identity_association",
        namespace="training",
        serviceAccount="data-loader",
        roleArn=f"arn:aws:iam::{ACCOUNT}:role/eks",
    )
    association = {
        "namespace": "training",
        "service_account": "data-loader",
        "role_arn": f"arn:aws:iam::{ACCOUNT}:role/eks",
    }
    changes = {"kubernetes": {"pod_identities": [association]}}
    return {"platform": "eks", "compute": WORKERS, **changes}, made, "trust policy"


def on_pcs(site: Site, name: str = "other") -> tuple[dict[str, Any], PcsSite]:
    """The platform's part of a spec, and a PCS cluster that exists."""
    built = add_pcs(site)
    built.create(name)
    return dict(PCS), built


@case("CW-E014")
def pcs_cluster_of_that_name(site: Site) -> Made:
    changes, built = on_pcs(site, "test")
    return changes, lambda: built.create("test"), "already exists"


@case("CW-E015")
def pcs_cluster_that_is_being_created(site: Site) -> Made:
    changes, built = on_pcs(site)
    return changes, lambda: built.create("test"), "only 1 cluster in that state"


@case("CW-Q063")
def pcs_clusters_beyond_the_quota(site: Site) -> Made:
    changes, built = on_pcs(site)
    return changes, lambda: built.create("test"), "maximum number of clusters is 1"


@case("CW-L017")
def pcs_cluster_with_a_newer_version(site: Site) -> Made:
    changes, _ = on_pcs(site, "test")

    def update() -> None:
        client("pcs").update_cluster(clusterIdentifier="test", scheduler={"version": "25.05"})

    return {**changes, "pcs.slurm_version": "25.05"}, update, "only newer versions"


@case("CW-N034")
def controller_in_a_local_zone(site: Site) -> Made:
    made = client("ec2").create_subnet(
        VpcId=site.vpc_id, CidrBlock="10.0.253.0/24", AvailabilityZone="us-east-1-dfw-2a"
    )["Subnet"]["SubnetId"]
    changes, built = on_pcs(site)
    networking = {"subnetIds": [made], "securityGroupIds": [site.group_id]}
    changes |= existing(site, subnet_ids=[made])
    return changes, lambda: built.create("test", networking=networking), "not supported"


@pytest.mark.parametrize("rule", CASES)
def test_finding_in_the_account_fails_the_stack(
    rule: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with local_aws("generous", **WORLDS.get(rule, {})):
        changes, resources, failing = CASES[rule](build_site())
        path = specs.write(tmp_path / "spec.yaml", specs.changed({"account": ACCOUNT, **changes}))
        main(["check", str(path), "--only", rule, "--format", "json"])
        captured = capsys.readouterr()
        assert captured.out, captured.err
        answer = json.loads(captured.out)
        assert {f["rule"] for f in answer["findings"]} == {rule}, (answer, captured.err)
        if callable(resources):
            with pytest.raises(ClientError, match=failing):
                resources()
            return
        stack = deploy("refused", resources)
        assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
        reason = failure("refused", failing)
        assert reason
        assert "local AWS failed" not in reason  # that is not a refusal


def test_every_account_rule_is_tested_or_has_a_reason() -> None:
    rules = {one.id for one in rule_files() if one.scope == "account"}
    shown = {one.rule for one in IN_WORLDS} | set(CASES)
    assert rules == shown | set(NOT_REFUSED)
    assert not shown & set(NOT_REFUSED)
