"""Rules whose findings a world refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError

from packages.localaws.tests.parts import Site, client, describe, open_lustre_ports, trust
from tests.support import specs

ACCOUNT = "123456789012"

PLAN = f"arn:aws:sagemaker:us-east-1:{ACCOUNT}:training-plan/run-1"

FROM_PLAN = {"compute.1.capacity": {"kind": "training-plan", "arn": PLAN}}

SPOT = {"compute.1.capacity": {"kind": "spot"}}

LUSTRE = {"storage.lustre": [specs.LUSTRE]}

HOME: dict[str, Any] = {"storage.home": {"kind": "openzfs", "capacity_gib": 512}}

TIERING: dict[str, Any] = {
    "storage.lustre": [
        {
            "mount_path": "/fsx",
            "storage_type": "INTELLIGENT_TIERING",
            "throughput_mbps": 4000,
            "read_cache": {"mode": "provisioned", "capacity_gib": 3000},
        }
    ]
}

RDS: dict[str, Any] = {"slurm.accounting": {"kind": "rds"}}

TWO_GROUPS: dict[str, Any] = {
    "network": {
        "availability_zone_id": "use1-az6",
        "existing": {
            "vpc_id": "vpc-0a1b2c3d4e5f60718",
            "subnet_ids": ["subnet-0a1b2c3d4e5f60718"],
            "security_group_ids": ["sg-0a1b2c3d4e5f60718", "sg-0a1b2c3d4e5f60719"],
        },
    }
}

ON_EC2: dict[str, Any] = {"platform": "parallelcluster"}

ON_NODE_GROUPS: dict[str, Any] = {
    "platform": "eks",
    "compute": [
        {"name": "workers", "role": "compute", "instance_type": "p5.48xlarge", "count": 4}
    ],
}

ON_EKS: dict[str, Any] = {**ON_NODE_GROUPS, "platform": "hyperpod-eks"}

SERVES: dict[str, Any] = {**ON_EKS, "network.egress": "nat", "hyperpod": {"inference": {}}}

RESERVED: dict[str, Any] = {
    **ON_EC2,
    "compute.1.capacity": {"kind": "reservation", "id": "cr-0123456789abcdef0"},
}

BLOCK: dict[str, Any] = {
    **ON_EC2,
    "compute.1.capacity": {"kind": "capacity-block", "id": "cr-0123456789abcdef0"},
}

LOCAL_ZONE: dict[str, Any] = {"network.availability_zone_id": "us-east-1-dfw-2a"}

NAT = {"network.egress": "nat"}


def cluster(count: int = 4, **group: Any) -> Callable[[Site], None]:
    """Create the cluster of the small spec; a cluster that ends in Failed counts as refused."""

    def deploy(site: Site) -> None:
        controller = site.group("controller", 1, "ml.m5.4xlarge", node_type="Controller")
        workers = site.group("workers", count, **group)
        request = site.request(workers)
        request["InstanceGroups"] = [controller, workers]
        client("sagemaker").create_cluster(**request)
        status = describe("train")["ClusterStatus"]
        if status in ("Failed", "RollingBack"):
            raise ClientError({"Error": {"Code": status}}, "CreateCluster")

    return deploy


def lustre(site: Site) -> None:
    open_lustre_ports(site, efa=True)
    client("fsx").create_file_system(
        FileSystemType="LUSTRE",
        StorageCapacity=4800,
        SubnetIds=[site.subnet_id],
        SecurityGroupIds=[site.group_id],
        LustreConfiguration={
            "DeploymentType": "PERSISTENT_2",
            "PerUnitStorageThroughput": 1000,
            "EfaEnabled": True,
            "MetadataConfiguration": {"Mode": "AUTOMATIC"},
        },
    )


def home(site: Site) -> None:
    client("fsx").create_file_system(
        FileSystemType="OPENZFS",
        StorageCapacity=512,
        SubnetIds=[site.subnet_id],
        OpenZFSConfiguration={"DeploymentType": "SINGLE_AZ_1", "ThroughputCapacity": 128},
    )


def vpc(site: Site) -> None:
    client("ec2").create_vpc(CidrBlock="10.8.0.0/16")


def nat(site: Site) -> None:
    ec2 = client("ec2")
    address = ec2.allocate_address(Domain="vpc")["AllocationId"]
    ec2.create_nat_gateway(SubnetId=site.subnet_id, AllocationId=address)


def tiering(site: Site) -> None:
    open_lustre_ports(site)
    client("fsx").create_file_system(
        FileSystemType="LUSTRE",
        StorageType="INTELLIGENT_TIERING",
        SubnetIds=[site.subnet_id],
        SecurityGroupIds=[site.group_id],
        LustreConfiguration={
            "DeploymentType": "PERSISTENT_2",
            "ThroughputCapacity": 4000,
            "DataReadCacheConfiguration": {"SizingMode": "USER_PROVISIONED", "SizeGiB": 3000},
            "MetadataConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 6000},
        },
    )


def gateway(site: Site) -> None:
    client("ec2").create_internet_gateway()


def groups(site: Site) -> None:
    for name in ("a", "b"):
        client("ec2").create_security_group(GroupName=name, Description=name, VpcId=site.vpc_id)


def rules(site: Site) -> None:
    for port in range(1, 4):
        rule = {"IpProtocol": "tcp", "FromPort": port, "ToPort": port}
        itself = [{"GroupId": site.group_id}]
        client("ec2").authorize_security_group_egress(
            GroupId=site.group_id, IpPermissions=[{**rule, "UserIdGroupPairs": itself}]
        )


def interface(site: Site) -> None:
    ec2 = client("ec2")
    more = ec2.create_security_group(GroupName="b", Description="b", VpcId=site.vpc_id)
    ec2.create_network_interface(SubnetId=site.subnet_id, Groups=[site.group_id, more["GroupId"]])


def interface_endpoints(site: Site) -> None:
    for service in ("logs", "sts", "ec2", "kms"):
        client("ec2").create_vpc_endpoint(
            VpcId=site.vpc_id,
            VpcEndpointType="Interface",
            ServiceName=f"com.amazonaws.us-east-1.{service}",
            SubnetIds=[site.subnet_id],
        )


def gateway_endpoint(site: Site) -> None:
    client("ec2").create_vpc_endpoint(VpcId=site.vpc_id, ServiceName="com.amazonaws.us-east-1.s3")


def _role(name: str, service: str) -> str:
    """The ARN of a new role that a service of AWS may assume."""
    document = json.dumps(trust(f"{service}.amazonaws.com"))
    made = client("iam").create_role(RoleName=name, AssumeRolePolicyDocument=document)
    return str(made["Role"]["Arn"])


def eks_cluster(site: Site) -> None:
    ec2 = client("ec2")
    other = ec2.create_subnet(
        VpcId=site.vpc_id, CidrBlock="10.0.254.0/24", AvailabilityZoneId="use1-az2"
    )["Subnet"]["SubnetId"]
    role = _role("eks", "eks")
    client("eks").create_cluster(
        name="other",
        roleArn=role,
        resourcesVpcConfig={"subnetIds": [site.subnet_id, other]},
    )


def node_group(most: int) -> Callable[[Site], None]:
    """An EKS cluster with a node group that can grow to `most` nodes."""

    def make(site: Site) -> None:
        eks_cluster(site)
        role = _role("node-group", "ec2")
        client("eks").get_waiter("cluster_active").wait(
            name="other", WaiterConfig={"Delay": 1, "MaxAttempts": 60}
        )
        client("eks").create_nodegroup(
            clusterName="other",
            nodegroupName="workers",
            subnets=[site.subnet_id],
            nodeRole=role,
            instanceTypes=["m5.large"],
            scalingConfig={"minSize": 0, "desiredSize": 0, "maxSize": most},
        )

    return make


def database_groups(site: Site) -> None:
    other = client("ec2").create_subnet(
        VpcId=site.vpc_id, CidrBlock="10.0.254.0/24", AvailabilityZoneId="use1-az2"
    )["Subnet"]["SubnetId"]
    rds = client("rds")
    rds.create_db_subnet_group(
        DBSubnetGroupName="accounting",
        DBSubnetGroupDescription="accounting",
        SubnetIds=[site.subnet_id, other],
    )
    rds.create_db_parameter_group(
        DBParameterGroupName="accounting",
        DBParameterGroupFamily="mysql8.0",
        Description="accounting",
    )


def database(site: Site) -> None:
    database_groups(site)
    client("rds").create_db_instance(
        DBInstanceIdentifier="accounting",
        DBInstanceClass="db.t4g.medium",
        Engine="mysql",
        MasterUsername="slurm",
        MasterUserPassword="not-a-secret-1",
        AllocatedStorage=100,
        DBSubnetGroupName="accounting",
    )


def key(site: Site) -> None:
    client("kms").create_key()


def bucket(site: Site) -> None:
    client("s3").create_bucket(Bucket="acme-new")


def role(site: Site) -> None:
    _role("more-nodes", "ec2")


def volume(site: Site) -> None:
    client("ec2").create_volume(Size=100, AvailabilityZone="us-east-1a", VolumeType="gp3")


def provider(site: Site) -> None:
    client("iam").create_open_id_connect_provider(
        Url="https://oidc.eks.us-east-1.amazonaws.com/id/A", ThumbprintList=["a" * 40]
    )


def stack(site: Site) -> None:
    template = {"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}}
    client("cloudformation").create_stack(StackName="s", TemplateBody=json.dumps(template))


def zone(site: Site) -> None:
    client("ec2").create_subnet(
        VpcId=site.vpc_id, CidrBlock="10.0.253.0/24", AvailabilityZone="us-east-1-dfw-2a"
    )


def instances(count: int = 4, **more: Any) -> Callable[[Site], None]:
    """Launch the workers as a platform on EC2 does, into the reservation if one is named."""

    def deploy(site: Site) -> None:
        client("ec2").run_instances(
            ImageId="ami-12c6146b",
            InstanceType="p5.48xlarge",
            MinCount=count,
            MaxCount=count,
            SubnetId=site.subnet_id,
            **more,
        )

    return deploy


def into(market: str | None = None, group: str | None = None) -> Callable[[Site], None]:
    more: dict[str, Any] = {
        "CapacityReservationSpecification": {
            "CapacityReservationTarget": {"CapacityReservationId": RESERVATION}
        }
    }
    if market:
        more["InstanceMarketOptions"] = {"MarketType": market}
    return instances(**more)


def block(site: Site) -> None:
    ec2 = client("ec2")
    offering = ec2.describe_capacity_block_offerings(
        InstanceType="p5.48xlarge", InstanceCount=4, CapacityDurationHours=24
    )["CapacityBlockOfferings"][0]
    ec2.purchase_capacity_block(
        CapacityBlockOfferingId=offering["CapacityBlockOfferingId"], InstancePlatform="Linux/UNIX"
    )


RESERVATION = "cr-0123456789abcdef0"


def reserved(**changes: Any) -> dict[str, Any]:
    fits = {
        "id": RESERVATION,
        "instance_type": "p5.48xlarge",
        "instance_count": 8,
        "zone_id": "use1-az6",
    }
    return {"capacity_reservations": [{**fits, **changes}]}


@dataclass(frozen=True)
class Case:
    rule: str
    world: dict[str, Any]
    changes: dict[str, Any] = field(default_factory=dict)
    deploy: Callable[[Site], None] = field(default_factory=cluster)
    severity: str = "error"
    generous: dict[str, Any] = field(default_factory=dict)
    """The world that accepts the same: the generous one, with these changes."""


def plan(**changes: Any) -> dict[str, Any]:
    fits = {"name": "run-1", "instance_type": "p5.48xlarge", "instance_count": 8}
    return {"training_plans": [{**fits, "zone_id": "use1-az6", **changes}]}


from_plan = cluster(TrainingPlanArn=PLAN)

A_BLOCK: dict[str, Any] = reserved(kind="capacity-block", end="+9d")

CASES = [
    Case("CW-Q001", {"quotas": {"sagemaker/L-8762A75F": 3}}),
    Case(
        "CW-Q001",
        {"quotas": {"sagemaker/L-8762A75F": 9}, "usage": {"sagemaker/L-8762A75F": 6}},
    ),
    Case(
        "CW-Q002",
        {"quotas": {"sagemaker/L-F742E2D7": 3}},
        SPOT,
        cluster(CapacityRequirements={"Spot": {}}),
    ),
    Case("CW-Q003", {"quotas": {"sagemaker/L-2CE978FC": 4}}),
    Case("CW-Q004", {"quotas": {"sagemaker/L-3308CCC7": 4}}),
    Case(
        "CW-Q005",
        {"quotas": {"sagemaker/L-E13DF72A": 100}},
        {"compute.1.ebs": {"capacity_gib": 500}},
        cluster(InstanceStorageConfigs=[{"EbsVolumeConfig": {"VolumeSizeInGB": 500}}]),
    ),
    Case(
        "CW-Q006",
        {"quotas": {"sagemaker/L-41BFBF41": 3}},
        SPOT,
        cluster(CapacityRequirements={"Spot": {}}),
    ),
    Case(
        "CW-Q007",
        {"quotas": {"sagemaker/L-97A2C724": 3}},
        SPOT,
        cluster(CapacityRequirements={"Spot": {}}),
    ),
    Case("CW-Q012", {"quotas": {"sagemaker/L-9EF527CA": 3}}, FROM_PLAN, from_plan),
    Case("CW-C001", {"not_offered": {"p5.48xlarge": ["use1-az6"]}}),
    Case("CW-C010", {"unlisted_plans": "none"}, FROM_PLAN, from_plan),
    Case("CW-C011", plan(status="Expired", start="-9d", end="-1d"), FROM_PLAN, from_plan),
    Case("CW-C012", plan(instance_type="p5en.48xlarge"), FROM_PLAN, from_plan),
    Case("CW-C013", plan(zone_id="use1-az2"), FROM_PLAN, from_plan),
    Case("CW-C014", plan(instance_count=2), FROM_PLAN, from_plan),
    Case("CW-Q030", {"quotas": {"fsx/L-8F1B9C74": 4000}}, LUSTRE, lustre),
    Case("CW-Q031", {"quotas": {"fsx/L-FD6F2F22": 0}}, LUSTRE, lustre),
    Case(
        "CW-Q035",
        {"quotas": {"fsx/L-88479C21": 500}},
        {"storage.home": {"kind": "openzfs", "capacity_gib": 512}},
        home,
    ),
    Case(
        "CW-Q036",
        {"quotas": {"fsx/L-4EDE4065": 100}},
        {"storage.home": {"kind": "openzfs", "capacity_gib": 512}},
        home,
    ),
    # The default VPC is one of two, the site's is the other.
    Case("CW-Q040", {"quotas": {"vpc/L-F678F1CE": 2}}, {}, vpc),
    Case("CW-Q041", {"quotas": {"ec2/L-0263D0A3": 0}}, NAT, nat),
    Case("CW-Q042", {"quotas": {"vpc/L-FE5A380F": 0}}, NAT, nat),
    Case("CW-Q034", {"quotas": {"fsx/L-59D0763F": 0}}, HOME, home),
    Case("CW-Q037", {"quotas": {"fsx/L-7D5FDD38": 256}}, HOME, home),
    Case("CW-Q038", {"quotas": {"fsx/L-B7391FCE": 2000}}, TIERING, tiering),
    Case("CW-Q043", {"quotas": {"vpc/L-A4707A72": 0}}, NAT, gateway),
    # The default VPC's group, the default group of the site's VPC, and the site's group.
    Case("CW-Q045", {"quotas": {"vpc/L-E79EC296": 4}}, {}, groups),
    Case("CW-Q046", {"quotas": {"vpc/L-0EA8095F": 3}}, {}, rules),
    Case("CW-Q047", {"quotas": {"vpc/L-2AFB9258": 1}}, TWO_GROUPS, interface),
    Case("CW-Q048", {"quotas": {"vpc/L-29B6F2EB": 3}}, {}, interface_endpoints),
    Case("CW-Q049", {"quotas": {"vpc/L-1B52E74A": 0}}, {}, gateway_endpoint),
    Case("CW-Q060", {"quotas": {"eks/L-1194D53C": 0}}, ON_EKS, eks_cluster),
    Case("CW-Q061", {"quotas": {"eks/L-6D54EA21": 0}}, ON_NODE_GROUPS, node_group(4)),
    Case("CW-Q062", {"quotas": {"eks/L-BD136A63": 3}}, ON_NODE_GROUPS, node_group(4)),
    Case("CW-Q070", {"quotas": {"rds/L-7B6409FD": 0}}, RDS, database),
    Case("CW-Q071", {"quotas": {"rds/L-7ADDB58A": 50}}, RDS, database),
    Case("CW-Q072", {"quotas": {"rds/L-48C6BF61": 0}}, RDS, database_groups),
    Case("CW-Q073", {"quotas": {"rds/L-DE55804A": 0}}, RDS, database_groups),
    Case("CW-Q080", {"quotas": {"kms/L-C2F1777E": 0}}, {}, key),
    # The site has one.
    Case("CW-Q081", {"quotas": {"s3/L-DC2B2D3D": 1}}, {}, bucket),
    # The site has one.
    Case("CW-Q082", {"quotas": {"iam/L-FE177D64": 1}}, {}, role),
    Case("CW-Q083", {"quotas": {"iam/L-858F3967": 0}}, SERVES, provider),
    Case("CW-Q084", {"quotas": {"cloudformation/L-0485CB21": 0}}, {}, stack),
    Case(
        "CW-Q095",
        {"quotas": {"sagemaker/L-8762A75F": 6}},
        {"compute.1.max_count": 8},
        cluster(count=8),
        severity="warning",
    ),
    Case("CW-N014", {"local_zones": "not-opted-in"}, LOCAL_ZONE, zone),
    Case("CW-Q020", {"quotas": {"ec2/L-417A185B": 700}}, ON_EC2, instances()),
    Case(
        "CW-Q021",
        {"quotas": {"ec2/L-7212CCBC": 700}},
        {**ON_EC2, **SPOT},
        instances(InstanceMarketOptions={"MarketType": "spot"}),
    ),
    # Four nodes with 33 interfaces each, and the controller; the launch alone makes four.
    Case("CW-Q044", {"quotas": {"vpc/L-DF5E4CA3": 3}}, ON_EC2, instances()),
    Case("CW-Q023", {"quotas": {"ebs/L-7A658B76": 0}}, ON_NODE_GROUPS, volume),
    Case("CW-Q022", {"quotas": {"ec2/L-DA6814F2": 700}}, BLOCK, block),
    Case("CW-C030", {}, RESERVED, into(), generous=reserved()),
    Case("CW-C030", reserved(), BLOCK, into("capacity-block"), generous=A_BLOCK),
    Case("CW-C031", reserved(state="cancelled"), RESERVED, into(), generous=reserved()),
    Case(
        "CW-C031",
        reserved(kind="capacity-block", end="-1d", start="-9d"),
        BLOCK,
        into("capacity-block"),
        generous=A_BLOCK,
    ),
    Case(
        "CW-C032",
        reserved(instance_type="p5en.48xlarge"),
        RESERVED,
        into(),
        generous=reserved(),
    ),
    Case("CW-C033", reserved(zone_id="use1-az2"), RESERVED, into(), generous=reserved()),
    Case(
        "CW-C035",
        reserved(available_instance_count=3),
        RESERVED,
        into(),
        generous=reserved(),
    ),
]
