"""Every resource of the stacks is on the bill, or known to be free."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cost.bill import Bill
from clusterwright.cost.components import accounting
from clusterwright.cost.estimate import estimate
from clusterwright.platforms.loading import load_cluster
from tests.support.synthesis import Assembly

ROOT = Path(__file__).parents[2]
CONFIGS = [
    str(path.relative_to(ROOT))
    for path in sorted((ROOT / "configs").rglob("*.yaml"))
    if path.name not in ("base.yaml", "prices.yaml") and path.parent.name != "users"
]

# The text of the bill line for each resource type.
CHARGED: dict[str, str | tuple[str, ...]] = {
    "AWS::APS::RuleGroupsNamespace": "Prometheus: queries",
    "AWS::APS::Scraper": "Prometheus: AWS's collector",
    "AWS::APS::Workspace": "Prometheus: samples",
    "AWS::Budgets::Budget": "budget with alarms",
    "AWS::CloudWatch::Alarm": "CloudWatch alarms",
    "AWS::ECR::Repository": "ECR storage",
    "AWS::EC2::EIP": "NAT gateway: public address",
    "AWS::EKS::Capability": "EKS capability",
    "AWS::EKS::Cluster": "EKS control plane",
    "AWS::EC2::FlowLog": "CloudWatch logs: ingestion",
    "AWS::EC2::NatGateway": "NAT gateway",
    "AWS::Grafana::Workspace": ("Grafana: editors", "Grafana: viewers"),
    "AWS::KMS::Key": "KMS key",
    "AWS::Lambda::Function": "functions that run at deployments",
    "AWS::Logs::LogGroup": "CloudWatch logs: storage",
    "AWS::PCS::Cluster": "PCS controller",
    "AWS::RDS::DBInstance": "RDS MariaDB",
    "AWS::S3::Bucket": "S3 storage",
    "AWS::S3Express::DirectoryBucket": "S3 Express storage",
    "AWS::SNS::Topic": "notifications by mail",
    "AWS::SecretsManager::Secret": ("database password in Secrets", "munge key in Secrets"),
}
# Parts of other resources, rules and names: they have no charge of their own. S3 requests of data
# repository associations are on the line of requests.
PARTS = {
    "AWS::EC2::InternetGateway",
    "AWS::EC2::Route",
    "AWS::EC2::RouteTable",
    "AWS::EC2::SecurityGroup",
    "AWS::EC2::SecurityGroupEgress",
    "AWS::EC2::SecurityGroupIngress",
    "AWS::EC2::Subnet",
    "AWS::EC2::SubnetRouteTableAssociation",
    "AWS::EC2::VPC",
    "AWS::EC2::VPCCidrBlock",
    "AWS::EC2::VPCGatewayAttachment",
    "AWS::EKS::AccessEntry",
    "AWS::EKS::Addon",
    "AWS::EC2::LaunchTemplate",
    "AWS::EC2::PlacementGroup",
    "AWS::EKS::PodIdentityAssociation",
    "AWS::FSx::DataRepositoryAssociation",
    # ParallelCluster's provider: functions, which are on the line of those, and their logs.
    "AWS::CloudFormation::Stack",
    "AWS::IAM::InstanceProfile",
    "AWS::IAM::ManagedPolicy",
    "AWS::IAM::OIDCProvider",
    "AWS::IAM::Policy",
    "AWS::IAM::Role",
    "AWS::KMS::Alias",
    "AWS::Lambda::LayerVersion",
    "AWS::PCS::Queue",
    "AWS::RDS::DBParameterGroup",
    "AWS::RDS::DBSubnetGroup",
    "AWS::S3::BucketPolicy",
    "AWS::SNS::TopicPolicy",
    "AWS::SageMaker::ClusterSchedulerConfig",
    "AWS::SageMaker::ComputeQuota",
    "AWS::SecretsManager::SecretTargetAttachment",
    "Custom::CDKBucketDeployment",
    "Custom::LogGroupCleanup",
    "Custom::LogRetention",
    "Custom::S3AutoDeleteObjects",
}
COUNTED = {
    "AWS::EC2::VPCEndpoint",
    "AWS::EKS::Nodegroup",
    "AWS::FSx::FileSystem",
    "AWS::PCS::ComputeNodeGroup",
    "AWS::SageMaker::Cluster",
    "Custom::PclusterCluster",
}


def bill_of(config: str) -> Bill:
    spec = load_cluster(ROOT / config)
    return estimate(spec.cluster, load_catalog(), today=dt.date(2026, 11, 20))


def node_counts(assembly: Assembly) -> list[int]:
    """Instances of each group in the templates."""
    found = [
        group["InstanceCount"]
        for cluster in assembly.resources("AWS::SageMaker::Cluster").values()
        for kind in ("InstanceGroups", "RestrictedInstanceGroups")
        for group in cluster["Properties"].get(kind, [])
    ]
    found += [
        group["Properties"]["ScalingConfig"]["DesiredSize"]
        for group in assembly.resources("AWS::EKS::Nodegroup").values()
    ]
    found += [
        group["Properties"]["ScalingConfiguration"]["MinInstanceCount"]
        for group in assembly.resources("AWS::PCS::ComputeNodeGroup").values()
    ]
    for one in assembly.resources("Custom::PclusterCluster").values():
        configuration = one["Properties"]["ClusterConfiguration"]
        queues = configuration["Scheduling"]["SlurmQueues"]
        found += [each["MinCount"] for queue in queues for each in queue["ComputeResources"]]
        pools = configuration.get("LoginNodes", {}).get("Pools", [])
        found += [1, *(pool["Count"] for pool in pools)]
    assert found
    return found


def unlaunched(config: str) -> int:
    """Spares beside partitions that are queues: paid with their reservation, unused in it."""
    cluster = load_cluster(ROOT / config).cluster
    if not cluster.traits.partitions_are_queues:
        return 0
    return sum(group.spare_count for group in cluster.compute)


@pytest.mark.parametrize("config", CONFIGS)
def test_every_resource_is_charged_or_free(config: str, synth: Callable[[str], Assembly]) -> None:
    bill = bill_of(config)
    items = [line.item for line in bill.lines]
    assembly = synth(config)
    kinds = {
        resource["Type"]
        for template in assembly.templates.values()
        for resource in template.get("Resources", {}).values()
    }
    assert kinds - CHARGED.keys() - PARTS - COUNTED == set(), "new types: say what they cost"
    for kind in kinds & CHARGED.keys():
        assert any(item.startswith(CHARGED[kind]) for item in items), kind
    secrets = assembly.resources("AWS::SecretsManager::Secret")
    counts = [line.quantity or 0 for line in bill.lines if "in Secrets Manager" in line.item]
    assert sum(counts) == len(secrets)


@pytest.mark.parametrize("config", CONFIGS)
def test_quantities_are_those_of_the_templates(
    config: str, synth: Callable[[str], Assembly]
) -> None:
    bill, assembly = bill_of(config), synth(config)
    quantities = {line.item: line.quantity for line in bill.lines}

    def quantity(text: str) -> int:
        return sum(int(q or 0) for item, q in quantities.items() if item.startswith(text))

    assert quantity("CloudWatch alarms") == len(assembly.resources("AWS::CloudWatch::Alarm"))
    endpoints = assembly.resources("AWS::EC2::VPCEndpoint").values()
    interface = [e for e in endpoints if e["Properties"]["VpcEndpointType"] == "Interface"]
    assert quantity("interface endpoints: ") == len(interface)
    assert sum(
        int(line.quantity or 0) for line in bill.lines if line.component == "compute"
    ) == sum(node_counts(assembly)) + unlaunched(config)
    sizes = [
        template["Properties"]["LaunchTemplateData"]["BlockDeviceMappings"][0]["Ebs"].get(
            "VolumeSize"
        )
        for template in assembly.resources("AWS::EC2::LaunchTemplate").values()
    ]
    # Without a size it is the image's, which is unknown.
    if sizes and sizes[0] is not None:
        roots = [line for line in bill.lines if line.item.endswith(", root")]
        assert sum(int(line.quantity or 0) for line in roots) == sizes[0] * (
            sum(node_counts(assembly)) + unlaunched(config)
        )
    systems = [r["Properties"] for r in assembly.resources("AWS::FSx::FileSystem").values()]
    capacity_gib = sum(p.get("StorageCapacity", 0) for p in systems)
    restricted = load_cluster(ROOT / config).cluster.hyperpod.restricted_lustre
    # HyperPod creates it.
    capacity_gib += restricted.capacity_gib if restricted is not None else 0
    charged = sum(
        int(line.quantity or 0)
        for line in bill.lines
        if line.path.endswith("capacity_gib") and line.component in ("lustre", "home")
    )
    assert charged == capacity_gib


def test_the_billed_engine_is_the_created_one(
    synth: Callable[[str], Assembly],
) -> None:
    (database,) = synth("configs/prod.yaml").resources("AWS::RDS::DBInstance").values()
    assert database["Properties"]["Engine"] == accounting.ENGINE.lower()
    assert database["Properties"]["StorageType"] in accounting.STORAGE.name
