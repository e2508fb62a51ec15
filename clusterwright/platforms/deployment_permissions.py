"""Permissions that CloudFormation's role needs to create the stacks, as data for `check`.

One or two actions of each resource type: those without which its creation cannot start.
`tests/platforms/test_deployment_permissions.py` compares them with the templates. Source: Service
Authorization Reference, actions of each service.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.karpenter import runs_in_cluster
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.validation.metrics import collected
from clusterwright.platforms.alerting import has_alert_rules
from clusterwright.platforms.derived_names import (
    built_buckets,
    built_image_repositories,
    database,
    has_scripts,
    monthly_budget,
    node_role_path,
    secrets,
)
from clusterwright.platforms.eks.launch_templates import takes_placement_group
from clusterwright.platforms.hyperpod_eks import inference
from clusterwright.platforms.node_permissions import Permission
from clusterwright.platforms.parallelcluster import queues

ALWAYS: Final[Callable[[Cluster], bool]] = lambda _: True  # noqa: E731


def _network(cluster: Cluster) -> bool:
    return cluster.network.existing is None


def _nat(cluster: Cluster) -> bool:
    return _network(cluster) and cluster.network.egress == "nat"


def _closed(cluster: Cluster) -> bool:
    return _network(cluster) and cluster.network.egress == "closed"


def _second_range(cluster: Cluster) -> bool:
    return _network(cluster) and bool(cluster.network.secondary_cidrs)


def _own_key(cluster: Cluster) -> bool:
    return cluster.identity.kms_key_arn is None


def _lustre(cluster: Cluster) -> bool:
    return any(fs.existing is None for fs in cluster.storage.lustre)


def _files(cluster: Cluster) -> bool:
    home = cluster.storage.home
    return _lustre(cluster) or (home is not None and home.existing is None)


def _links(cluster: Cluster) -> bool:
    return any(fs.repositories for fs in cluster.storage.lustre if fs.existing is None)


def _provider_stack(cluster: Cluster) -> bool:
    return cluster.traits.provider_stack


def _attachment(cluster: Cluster) -> bool:
    """ParallelCluster requires a secret that contains only the password, so no keys are added to
    it.
    """
    return _database(cluster) and not cluster.traits.accounting_secret_is_password


def _database(cluster: Cluster) -> bool:
    return database(cluster) is not None


def _alarms(cluster: Cluster) -> bool:
    home = cluster.storage.home
    sized = any(
        fs.existing is None and fs.capacity_gib is not None for fs in cluster.storage.lustre
    )
    return sized or (home is not None and home.existing is None) or _database(cluster)


def _topic(cluster: Cluster) -> bool:
    return bool(cluster.observability.alarm_emails)


def _directory(cluster: Cluster) -> bool:
    return any(name.endswith("--x-s3") for name in built_buckets(cluster))


def _image_repositories(cluster: Cluster) -> bool:
    return bool(built_image_repositories(cluster))


def _buckets(cluster: Cluster) -> bool:
    return any(not name.endswith("--x-s3") for name in built_buckets(cluster))


def _kubernetes(cluster: Cluster) -> bool:
    return cluster.uses_kubernetes


def _entries(cluster: Cluster) -> bool:
    return _kubernetes(cluster) and (
        cluster.kubernetes.admin_role
        or bool(cluster.kubernetes.access)
        or runs_in_cluster(cluster)
    )


def _training_operator(cluster: Cluster) -> bool:
    return any(addon.name == "training-operator" for addon in cluster.hyperpod.addons)


def _pod_identities(cluster: Cluster) -> bool:
    return (
        bool(cluster.kubernetes.pod_identities)
        or _training_operator(cluster)
        or runs_in_cluster(cluster)
    )


def _capabilities(cluster: Cluster) -> bool:
    asked = cluster.kubernetes.capabilities
    return _kubernetes(cluster) and (asked.argocd is not None or asked.ack or asked.kro)


def _governance(cluster: Cluster) -> bool:
    return cluster.hyperpod.task_governance is not None


def _hyperpod(cluster: Cluster) -> bool:
    return cluster.on_hyperpod


def _hyperpod_eks(cluster: Cluster) -> bool:
    return cluster.on_hyperpod and cluster.uses_kubernetes


def _functions(cluster: Cluster) -> bool:
    """Functions of deployments: with node groups of EKS only those that empty buckets."""
    return not _node_groups(cluster) or (cluster.protection == "destroy" and _buckets(cluster))


def _node_groups(cluster: Cluster) -> bool:
    return cluster.traits.managed_node_groups


def _pcs(cluster: Cluster) -> bool:
    return cluster.traits.service_runs_controller


def _launch_templates(cluster: Cluster) -> bool:
    return _node_groups(cluster) or _pcs(cluster)


def _instance_profiles(cluster: Cluster) -> bool:
    return runs_in_cluster(cluster) or _pcs(cluster)


def _spot_instances(cluster: Cluster) -> bool:
    """HyperPod launches Spot instances in an account of its own."""
    return not cluster.on_hyperpod and any(g.capacity.kind == "spot" for g in cluster.compute)


def _placement_groups(cluster: Cluster) -> bool:
    catalog = load_catalog()
    if cluster.traits.partitions_are_queues:
        return any(queues.takes_placement_group(g, catalog) for g in cluster.compute)
    return _node_groups(cluster) and any(
        takes_placement_group(group, cluster.platform, catalog) for group in cluster.compute
    )


@dataclass(frozen=True)
class Created:
    """A resource type, the actions that create it, and when a spec has one."""

    actions: tuple[str, ...]
    used: Callable[[Cluster], bool] = ALWAYS


RESOURCES: Final[Mapping[str, Created]] = {
    "AWS::APS::RuleGroupsNamespace": Created(("aps:CreateRuleGroupsNamespace",), has_alert_rules),
    # The access entry is created with the permissions of whoever creates the collector
    # (CloudFormation's schema of the type, permissions of its handlers).
    "AWS::APS::Scraper": Created(
        (
            "aps:CreateScraper",
            "eks:AssociateAccessPolicy",
            "eks:CreateAccessEntry",
            "iam:CreateServiceLinkedRole",
        ),
        collected,
    ),
    "AWS::APS::Workspace": Created(
        ("aps:CreateWorkspace",), lambda cluster: cluster.observability.prometheus
    ),
    "AWS::Budgets::Budget": Created(
        ("budgets:ModifyBudget",), lambda cluster: monthly_budget(cluster) is not None
    ),
    "AWS::CloudFormation::Stack": Created(("cloudformation:CreateStack",), _provider_stack),
    "AWS::CloudWatch::Alarm": Created(("cloudwatch:PutMetricAlarm",), _alarms),
    "AWS::EC2::EIP": Created(("ec2:AllocateAddress",), _nat),
    "AWS::EC2::FlowLog": Created(("ec2:CreateFlowLogs",), _network),
    "AWS::EC2::InternetGateway": Created(("ec2:CreateInternetGateway",), _nat),
    "AWS::EC2::LaunchTemplate": Created(
        ("ec2:CreateLaunchTemplate", "ec2:CreateLaunchTemplateVersion"), _launch_templates
    ),
    "AWS::EC2::NatGateway": Created(("ec2:CreateNatGateway",), _nat),
    "AWS::EC2::PlacementGroup": Created(("ec2:CreatePlacementGroup",), _placement_groups),
    "AWS::EC2::Route": Created(("ec2:CreateRoute",), _nat),
    "AWS::EC2::RouteTable": Created(("ec2:CreateRouteTable",), _network),
    "AWS::EC2::SecurityGroup": Created(("ec2:CreateSecurityGroup",), _network),
    "AWS::EC2::SecurityGroupEgress": Created(("ec2:AuthorizeSecurityGroupEgress",), _network),
    "AWS::EC2::SecurityGroupIngress": Created(("ec2:AuthorizeSecurityGroupIngress",), _network),
    "AWS::EC2::Subnet": Created(("ec2:CreateSubnet",), _network),
    "AWS::EC2::SubnetRouteTableAssociation": Created(("ec2:AssociateRouteTable",), _network),
    "AWS::EC2::VPC": Created(("ec2:CreateVpc", "ec2:ModifyVpcAttribute"), _network),
    "AWS::EC2::VPCCidrBlock": Created(("ec2:AssociateVpcCidrBlock",), _second_range),
    "AWS::EC2::VPCEndpoint": Created(("ec2:CreateVpcEndpoint",), _network),
    "AWS::EC2::VPCGatewayAttachment": Created(("ec2:AttachInternetGateway",), _nat),
    # ECR creates grants on the key with the caller's permissions (ECR user guide, "Encryption at
    # rest").
    "AWS::ECR::Repository": Created(
        (
            "ecr:CreateRepository",
            "ecr:PutLifecyclePolicy",
            "ecr:TagResource",
            "kms:CreateGrant",
            "kms:DescribeKey",
        ),
        _image_repositories,
    ),
    "AWS::EKS::AccessEntry": Created(
        ("eks:CreateAccessEntry", "eks:AssociateAccessPolicy"), _entries
    ),
    "AWS::EKS::Addon": Created(("eks:CreateAddon",), _kubernetes),
    "AWS::EKS::Capability": Created(("eks:CreateCapability",), _capabilities),
    "AWS::EKS::Cluster": Created(("eks:CreateCluster",), _kubernetes),
    "AWS::EKS::Nodegroup": Created(("eks:CreateNodegroup",), _node_groups),
    "AWS::EKS::PodIdentityAssociation": Created(
        ("eks:CreatePodIdentityAssociation",), _pod_identities
    ),
    "AWS::Events::Rule": Created(("events:PutRule", "events:PutTargets"), runs_in_cluster),
    "AWS::FSx::DataRepositoryAssociation": Created(
        ("fsx:CreateDataRepositoryAssociation",), _links
    ),
    "AWS::FSx::FileSystem": Created(("fsx:CreateFileSystem",), _files),
    # With Identity Center also sso:CreateManagedApplicationInstance, which SAML does not need.
    "AWS::Grafana::Workspace": Created(
        ("grafana:CreateWorkspace",),
        lambda cluster: cluster.observability.grafana is not None,
    ),
    "AWS::IAM::InstanceProfile": Created(
        ("iam:AddRoleToInstanceProfile", "iam:CreateInstanceProfile"), _instance_profiles
    ),
    "AWS::IAM::ManagedPolicy": Created(("iam:CreatePolicy",), _provider_stack),
    "AWS::IAM::OIDCProvider": Created(("iam:CreateOpenIDConnectProvider",), inference.wanted),
    "AWS::IAM::Policy": Created(("iam:PutRolePolicy",), lambda cluster: not _node_groups(cluster)),
    "AWS::IAM::Role": Created(("iam:CreateRole",)),
    "AWS::KMS::Alias": Created(("kms:CreateAlias",), _own_key),
    "AWS::KMS::Key": Created(("kms:CreateKey",), _own_key),
    "AWS::Lambda::Function": Created(
        ("lambda:CreateFunction", "lambda:InvokeFunction"), _functions
    ),
    "AWS::Lambda::LayerVersion": Created(("lambda:PublishLayerVersion",), has_scripts),
    "AWS::Logs::LogGroup": Created(("logs:CreateLogGroup", "logs:PutRetentionPolicy")),
    # PCS user guide, "Minimum permissions for AWS PCS" (security-min-permissions): PCS reads and
    # launches with the permissions of the caller.
    "AWS::PCS::Cluster": Created(
        (
            "ec2:CreateNetworkInterface",
            "ec2:DescribeSecurityGroups",
            "ec2:DescribeSubnets",
            "ec2:DescribeVpcs",
            "ec2:GetSecurityGroupsForVpc",
            "iam:CreateServiceLinkedRole",
            "pcs:CreateCluster",
            "secretsmanager:CreateSecret",
            "secretsmanager:TagResource",
        ),
        _pcs,
    ),
    "AWS::PCS::ComputeNodeGroup": Created(
        (
            "ec2:CreateFleet",
            "ec2:CreateTags",
            "ec2:DescribeCapacityReservations",
            "ec2:DescribeImages",
            "ec2:DescribeInstanceTypeOfferings",
            "ec2:DescribeInstanceTypes",
            "ec2:DescribeLaunchTemplateVersions",
            "ec2:DescribeLaunchTemplates",
            "ec2:RunInstances",
            "iam:GetInstanceProfile",
            "pcs:CreateComputeNodeGroup",
        ),
        _pcs,
    ),
    "AWS::PCS::Queue": Created(("pcs:CreateQueue",), _pcs),
    "AWS::RDS::DBInstance": Created(("rds:CreateDBInstance",), _database),
    "AWS::RDS::DBParameterGroup": Created(("rds:CreateDBParameterGroup",), _database),
    "AWS::RDS::DBSubnetGroup": Created(("rds:CreateDBSubnetGroup",), _database),
    "AWS::S3::Bucket": Created(("s3:CreateBucket",), _buckets),
    "AWS::S3::BucketPolicy": Created(("s3:PutBucketPolicy",), _buckets),
    "AWS::S3Express::DirectoryBucket": Created(("s3express:CreateBucket",), _directory),
    "AWS::SNS::Topic": Created(("sns:CreateTopic",), _topic),
    "AWS::SNS::TopicPolicy": Created(("sns:SetTopicAttributes",), _topic),
    "AWS::SQS::Queue": Created(("sqs:CreateQueue",), runs_in_cluster),
    "AWS::SQS::QueuePolicy": Created(("sqs:SetQueueAttributes",), runs_in_cluster),
    "AWS::SageMaker::Cluster": Created(("sagemaker:CreateCluster",), _hyperpod),
    "AWS::SageMaker::ClusterSchedulerConfig": Created(
        ("sagemaker:CreateClusterSchedulerConfig",), _governance
    ),
    "AWS::SageMaker::ComputeQuota": Created(
        ("sagemaker:CreateComputeQuota",),
        lambda cluster: _governance(cluster) and bool(cluster.tenants),
    ),
    "AWS::SecretsManager::Secret": Created(
        ("secretsmanager:CreateSecret",), lambda cluster: bool(secrets(cluster))
    ),
    "AWS::SecretsManager::SecretTargetAttachment": Created(
        ("secretsmanager:PutSecretValue",), _attachment
    ),
}


def deployment_permissions(cluster: Cluster) -> Iterator[Permission]:
    """Return the permissions that CloudFormation's role needs in this region for this spec."""
    region = (("aws:RequestedRegion", cluster.region),)
    actions = sorted(
        {a for made in RESOURCES.values() if made.used(cluster) for a in made.actions}
    )
    yield Permission("creating the stacks", tuple(actions), context=region)
    if _hyperpod_eks(cluster):
        # CloudFormation's schema of AWS::SageMaker::Cluster, handlers: HyperPod
        # gives its nodes access to the EKS cluster with the permissions of whoever creates them.
        entries = ("CreateAccessEntry", "DescribeAccessEntry", "DeleteAccessEntry")
        names = (*entries, "AssociateAccessPolicy", "DescribeCluster")
        yield Permission(
            "giving HyperPod's nodes access to the EKS cluster",
            tuple(f"eks:{name}" for name in names),
            context=region,
        )
    yield from _on_linked_buckets(cluster)
    if not cluster.traits.node_principal:
        return  # The provider creates the roles of the nodes with its own permissions.
    # With Slurm each instance group has a role, in the stack of the cluster.
    name = (
        f"{node_role_path(cluster)}x"
        if (cluster.on_hyperpod and cluster.uses_slurm) or _pcs(cluster)
        else f"/{cluster.environment}-identity-x"
    )
    role = f"arn:{cluster.partition}:iam::{cluster.account}:role{name}"
    passed = (("iam:PassedToService", cluster.traits.node_principal),)
    yield Permission("passing the nodes their role", ("iam:PassRole",), role, passed)


def _on_linked_buckets(cluster: Cluster) -> Iterator[Permission]:
    """FSx checks that the creator of an association may use the bucket, in addition to its own
    role.

    "Ensure the IAM role or user you are using has s3:Get*, s3:List* and s3:PutObject permissions
    to the S3 bucket prefix", as users quote FSx
    (aws-samples/amazon-eks-machine-learning-with-terraform-and-kubeflow#91). Write access is
    required only for exports.
    """
    exporting: dict[str, bool] = {}
    for fs in cluster.storage.lustre:
        for link in fs.repositories if fs.existing is None else ():
            bucket = link.s3.removeprefix("s3://").partition("/")[0]
            exporting[bucket] = exporting.get(bucket, False) or bool(link.export_events)
    for bucket, writes in exporting.items():
        arn = f"arn:{cluster.partition}:s3:::{bucket}"
        reason = f"linking s3://{bucket} to Lustre"
        yield Permission(reason, ("s3:ListBucket",), arn)
        yield Permission(
            reason, ("s3:GetObject", *(["s3:PutObject"] if writes else [])), f"{arn}/*"
        )


@dataclass(frozen=True)
class LinkedRole:
    """A service-linked role, which a service creates at its first use in an account."""

    service: str
    name: str
    needed_for: str
    used: Callable[[Cluster], bool]
    launched_later: Callable[[Cluster], bool] = lambda _: False
    """Whether the service is used only after the deployment, by an identity that may not create
    the role: ParallelCluster's head node and Karpenter launch the instances themselves."""


LINKED_ROLES: Final = (
    LinkedRole("fsx.amazonaws.com", "AWSServiceRoleForAmazonFSx", "file systems", _files),
    LinkedRole("rds.amazonaws.com", "AWSServiceRoleForRDS", "the database", _database),
    LinkedRole(
        "eks.amazonaws.com", "AWSServiceRoleForAmazonEKS", "the control plane", _kubernetes
    ),
    LinkedRole(
        "eks-nodegroup.amazonaws.com",
        "AWSServiceRoleForAmazonEKSNodegroup",
        "node groups",
        _node_groups,
    ),
    LinkedRole(
        "autoscaling.amazonaws.com",
        "AWSServiceRoleForAutoScaling",
        "launching the nodes of node groups",
        _node_groups,
    ),
    LinkedRole("pcs.amazonaws.com", "AWSServiceRoleForPCS", "the nodes", _pcs),
    LinkedRole(
        "spot.amazonaws.com",
        "AWSServiceRoleForEC2Spot",
        "spot instances",
        _spot_instances,
        lambda cluster: _provider_stack(cluster) or runs_in_cluster(cluster),
    ),
    LinkedRole(
        "hyperpod.sagemaker.amazonaws.com",
        "AWSServiceRoleForSageMakerHyperPod",
        "HyperPod's access to the EKS cluster",
        _hyperpod_eks,
    ),
)
"""FSx for Lustre, RDS, EKS, EC2 Auto Scaling and EC2 user guides, SageMaker developer guide:
"Using service-linked roles"."""
