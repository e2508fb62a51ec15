"""Resource types that carry the spec's tags, by their names in tag policies.

The names are those of the `tagtype` table of hashicorp/terraform-provider-aws ("Tag Policies
resource type"), read on 21 November 2026. Types missing from the table are `service:type`, as in
their ARNs. `tests/platforms/test_tagged_types.py` compares the table with CloudFormation's
schemas.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.deployment_permissions import RESOURCES

# CloudFormation's name -> the name in tag policies.
NAMES: Final[Mapping[str, str]] = {
    "AWS::APS::RuleGroupsNamespace": "aps:rulegroupsnamespace",
    "AWS::APS::Scraper": "aps:scraper",
    "AWS::APS::Workspace": "aps:workspace",
    "AWS::Budgets::Budget": "budgets:budget",
    "AWS::CloudFormation::Stack": "cloudformation:stack",
    "AWS::CloudWatch::Alarm": "cloudwatch:alarm",
    "AWS::EC2::EIP": "ec2:elastic-ip",
    "AWS::EC2::FlowLog": "ec2:vpc-flow-log",
    "AWS::EC2::InternetGateway": "ec2:internet-gateway",
    "AWS::EC2::LaunchTemplate": "ec2:launch-template",
    "AWS::EC2::NatGateway": "ec2:natgateway",
    "AWS::EC2::PlacementGroup": "ec2:placement-group",
    "AWS::EC2::RouteTable": "ec2:route-table",
    "AWS::EC2::SecurityGroup": "ec2:security-group",
    "AWS::EC2::Subnet": "ec2:subnet",
    "AWS::EC2::VPC": "ec2:vpc",
    "AWS::EC2::VPCEndpoint": "ec2:vpc-endpoint",
    "AWS::ECR::Repository": "ecr:repository",
    "AWS::EKS::AccessEntry": "eks:access-entry",
    "AWS::EKS::Addon": "eks:addon",
    "AWS::EKS::Capability": "eks:capability",
    "AWS::EKS::Cluster": "eks:cluster",
    "AWS::EKS::Nodegroup": "eks:nodegroup",
    "AWS::EKS::PodIdentityAssociation": "eks:podidentityassociation",
    "AWS::Events::Rule": "events:rule",
    "AWS::FSx::DataRepositoryAssociation": "fsx:association",
    "AWS::FSx::FileSystem": "fsx:file-system",
    "AWS::Grafana::Workspace": "grafana:workspace",
    "AWS::IAM::OIDCProvider": "iam:oidc-provider",
    "AWS::IAM::Role": "iam:role",
    "AWS::KMS::Key": "kms:key",
    "AWS::Lambda::Function": "lambda:function",
    "AWS::Logs::LogGroup": "logs:log-group",
    "AWS::PCS::Cluster": "pcs:cluster",
    "AWS::PCS::ComputeNodeGroup": "pcs:computenodegroup",
    "AWS::PCS::Queue": "pcs:queue",
    "AWS::RDS::DBInstance": "rds:db",
    "AWS::RDS::DBParameterGroup": "rds:pg",
    "AWS::RDS::DBSubnetGroup": "rds:subgrp",
    "AWS::S3::Bucket": "s3:bucket",
    "AWS::S3Express::DirectoryBucket": "s3express:bucket",
    "AWS::SNS::Topic": "sns:topic",
    "AWS::SQS::Queue": "sqs:queue",
    "AWS::SageMaker::Cluster": "sagemaker:cluster",
    "AWS::SageMaker::ClusterSchedulerConfig": "sagemaker:cluster-scheduler-config",
    "AWS::SageMaker::ComputeQuota": "sagemaker:compute-quota",
    "AWS::SecretsManager::Secret": "secretsmanager:secret",
}
# Tagged by launch templates of node groups, Karpenter's node classes and ParallelCluster.
NODES: Final = ("ec2:instance", "ec2:volume", "ec2:network-interface")


def tagged_types(cluster: Cluster) -> frozenset[str]:
    """Return the types with the spec's tags in a deployment; HyperPod's nodes are not in the
    account.
    """
    made = {
        NAMES[kind]
        for kind, resource in RESOURCES.items()
        if kind in NAMES and resource.used(cluster)
    }
    if cluster.traits.tags_nodes:
        made.update(NODES)
    return frozenset(made)


def covered(named: tuple[str, ...], made: frozenset[str]) -> tuple[str, ...]:
    """Return the types of `made` that a list in a tag policy names, by type or by service.

    A service's `ALL_SUPPORTED` may exclude types that tag policies do not support.
    """
    wanted = set(named)
    return tuple(
        sorted(
            kind
            for kind in made
            if {kind, *(f"{kind.partition(':')[0]}:{every}" for every in ("ALL_SUPPORTED", "*"))}
            & wanted
        )
    )
