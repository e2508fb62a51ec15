"""What CloudFormation reads with the caller's permissions while it detects drift.

The permissions of the read handlers in CloudFormation's resource schemas (those of 2026-10-20 in
cfn-lint, copied on 2026-11-23); a test compares them. Types without an entry have no read handler.
Left out are permissions that show secrets or hand over roles: `secretsmanager:GetSecretValue`,
`kms:Decrypt` and `iam:PassRole`. Without them the drift of those resources is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

NOT_GRANTED: Final = frozenset({"iam:PassRole", "kms:Decrypt", "secretsmanager:GetSecretValue"})

READ_ACTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "AWS::APS::RuleGroupsNamespace": (
        "aps:DescribeRuleGroupsNamespace",
        "aps:ListTagsForResource",
    ),
    "AWS::APS::Scraper": (
        "aps:DescribeScraper",
        "aps:DescribeScraperLoggingConfiguration",
        "aps:ListTagsForResource",
        "ec2:DescribeNetworkInterfaces",
    ),
    "AWS::APS::Workspace": (
        "aps:DescribeAlertManagerDefinition",
        "aps:DescribeLoggingConfiguration",
        "aps:DescribeQueryLoggingConfiguration",
        "aps:DescribeWorkspace",
        "aps:DescribeWorkspaceConfiguration",
        "aps:ListTagsForResource",
    ),
    "AWS::Budgets::Budget": (
        "billing:GetBillingViewData",
        "budgets:ListTagsForResource",
        "budgets:ViewBudget",
    ),
    "AWS::CloudFormation::Stack": (
        "cloudformation:DescribeStacks",
        "cloudformation:GetStackPolicy",
        "cloudformation:GetTemplate",
    ),
    "AWS::CloudWatch::Alarm": (
        "cloudwatch:DescribeAlarms",
        "cloudwatch:ListTagsForResource",
    ),
    "AWS::EC2::EIP": ("ec2:DescribeAddresses",),
    "AWS::EC2::FlowLog": ("ec2:DescribeFlowLogs",),
    "AWS::EC2::InternetGateway": ("ec2:DescribeInternetGateways",),
    "AWS::EC2::LaunchTemplate": ("ec2:DescribeLaunchTemplates",),
    "AWS::EC2::NatGateway": ("ec2:DescribeNatGateways",),
    "AWS::EC2::PlacementGroup": ("ec2:DescribePlacementGroups",),
    "AWS::EC2::Route": ("ec2:DescribeRouteTables",),
    "AWS::EC2::RouteTable": ("ec2:DescribeRouteTables",),
    "AWS::EC2::SecurityGroup": ("ec2:DescribeSecurityGroups",),
    "AWS::EC2::SecurityGroupEgress": ("ec2:DescribeSecurityGroupRules",),
    "AWS::EC2::SecurityGroupIngress": (
        "ec2:DescribeSecurityGroupRules",
        "ec2:DescribeSecurityGroups",
    ),
    "AWS::EC2::Subnet": (
        "ec2:DescribeNetworkAcls",
        "ec2:DescribeSubnets",
    ),
    "AWS::EC2::SubnetRouteTableAssociation": ("ec2:DescribeRouteTables",),
    "AWS::EC2::VPC": (
        "ec2:DescribeNetworkAcls",
        "ec2:DescribeSecurityGroups",
        "ec2:DescribeVpcAttribute",
        "ec2:DescribeVpcEncryptionControls",
        "ec2:DescribeVpcs",
    ),
    "AWS::EC2::VPCCidrBlock": ("ec2:DescribeVpcs",),
    "AWS::EC2::VPCEndpoint": (
        "ec2:DescribeSecurityGroups",
        "ec2:DescribeSubnets",
        "ec2:DescribeVpcEndpoints",
        "ec2:DescribeVpcs",
        "vpc-lattice:DescribeServiceNetworkVpcEndpointAssociation",
    ),
    "AWS::EC2::VPCGatewayAttachment": (
        "ec2:DescribeInternetGateways",
        "ec2:DescribeVpnGateways",
    ),
    "AWS::ECR::Repository": (
        "ecr:DescribeRepositories",
        "ecr:GetLifecyclePolicy",
        "ecr:GetRepositoryPolicy",
        "ecr:ListTagsForResource",
    ),
    "AWS::EKS::AccessEntry": (
        "eks:DescribeAccessEntry",
        "eks:ListAssociatedAccessPolicies",
    ),
    "AWS::EKS::Addon": ("eks:DescribeAddon",),
    "AWS::EKS::Capability": ("eks:DescribeCapability",),
    "AWS::EKS::Cluster": ("eks:DescribeCluster",),
    "AWS::EKS::Nodegroup": ("eks:DescribeNodegroup",),
    "AWS::EKS::PodIdentityAssociation": ("eks:DescribePodIdentityAssociation",),
    "AWS::Events::Rule": (
        "events:DescribeRule",
        "events:ListTagsForResource",
        "events:ListTargetsByRule",
    ),
    "AWS::FSx::DataRepositoryAssociation": ("fsx:DescribeDataRepositoryAssociations",),
    "AWS::Grafana::Workspace": (
        "grafana:DescribeWorkspace",
        "grafana:DescribeWorkspaceAuthentication",
        "grafana:DescribeWorkspaceConfiguration",
        "grafana:ListTagsForResource",
    ),
    "AWS::IAM::InstanceProfile": ("iam:GetInstanceProfile",),
    "AWS::IAM::ManagedPolicy": (
        "iam:GetPolicy",
        "iam:GetPolicyVersion",
        "iam:ListEntitiesForPolicy",
    ),
    "AWS::IAM::OIDCProvider": ("iam:GetOpenIDConnectProvider",),
    "AWS::IAM::Role": (
        "iam:GetRole",
        "iam:GetRolePolicy",
        "iam:ListAttachedRolePolicies",
        "iam:ListRolePolicies",
    ),
    "AWS::KMS::Alias": ("kms:ListAliases",),
    "AWS::KMS::Key": (
        "kms:DescribeKey",
        "kms:GetKeyPolicy",
        "kms:GetKeyRotationStatus",
        "kms:ListResourceTags",
    ),
    "AWS::Lambda::Function": (
        "lambda:GetFunction",
        "lambda:GetFunctionCodeSigningConfig",
        "lambda:GetFunctionRecursionConfig",
        "lambda:GetFunctionScalingConfig",
        "lambda:GetRuntimeManagementConfig",
    ),
    "AWS::Lambda::LayerVersion": ("lambda:GetLayerVersion",),
    "AWS::Logs::LogGroup": (
        "logs:DescribeIndexPolicies",
        "logs:DescribeLogGroups",
        "logs:DescribeResourcePolicies",
        "logs:GetDataProtectionPolicy",
        "logs:ListTagsForResource",
    ),
    "AWS::PCS::Cluster": ("pcs:GetCluster", "pcs:ListTagsForResource"),
    "AWS::PCS::ComputeNodeGroup": ("pcs:GetComputeNodeGroup", "pcs:ListTagsForResource"),
    "AWS::PCS::Queue": ("pcs:GetQueue", "pcs:ListTagsForResource"),
    "AWS::RDS::DBInstance": (
        "ec2:DescribeAccountAttributes",
        "ec2:DescribeAvailabilityZones",
        "ec2:DescribeInternetGateways",
        "ec2:DescribeSecurityGroups",
        "ec2:DescribeSubnets",
        "ec2:DescribeVpcAttribute",
        "ec2:DescribeVpcs",
        "rds:DescribeDBInstances",
    ),
    "AWS::RDS::DBParameterGroup": (
        "rds:DescribeDBParameterGroups",
        "rds:DescribeDBParameters",
        "rds:ListTagsForResource",
    ),
    "AWS::RDS::DBSubnetGroup": (
        "rds:DescribeDBSubnetGroups",
        "rds:ListTagsForResource",
    ),
    "AWS::S3::Bucket": (
        "s3:GetAccelerateConfiguration",
        "s3:GetAnalyticsConfiguration",
        "s3:GetBucketAbac",
        "s3:GetBucketCORS",
        "s3:GetBucketLogging",
        "s3:GetBucketMetadataTableConfiguration",
        "s3:GetBucketNotification",
        "s3:GetBucketObjectLockConfiguration",
        "s3:GetBucketOwnershipControls",
        "s3:GetBucketPublicAccessBlock",
        "s3:GetBucketTagging",
        "s3:GetBucketVersioning",
        "s3:GetBucketWebsite",
        "s3:GetEncryptionConfiguration",
        "s3:GetIntelligentTieringConfiguration",
        "s3:GetInventoryConfiguration",
        "s3:GetLifecycleConfiguration",
        "s3:GetMetricsConfiguration",
        "s3:GetReplicationConfiguration",
        "s3:ListBucket",
        "s3:ListTagsForResource",
    ),
    "AWS::S3::BucketPolicy": ("s3:GetBucketPolicy",),
    "AWS::S3Express::DirectoryBucket": (
        "ec2:DescribeAvailabilityZones",
        "s3express:GetEncryptionConfiguration",
        "s3express:GetInventoryConfiguration",
        "s3express:GetLifecycleConfiguration",
        "s3express:GetMetricsConfiguration",
        "s3express:ListAllMyDirectoryBuckets",
        "s3express:ListTagsForResource",
    ),
    "AWS::SNS::Topic": (
        "sns:GetDataProtectionPolicy",
        "sns:GetTopicAttributes",
        "sns:ListSubscriptionsByTopic",
        "sns:ListTagsForResource",
    ),
    "AWS::SQS::Queue": (
        "sqs:GetQueueAttributes",
        "sqs:ListQueueTags",
    ),
    "AWS::SageMaker::Cluster": (
        "sagemaker:DescribeCluster",
        "sagemaker:ListTags",
    ),
    "AWS::SageMaker::ClusterSchedulerConfig": (
        "sagemaker:DescribeClusterSchedulerConfig",
        "sagemaker:ListTags",
    ),
    "AWS::SageMaker::ComputeQuota": (
        "sagemaker:DescribeComputeQuota",
        "sagemaker:ListTags",
    ),
    "AWS::SecretsManager::Secret": ("secretsmanager:DescribeSecret",),
}
"""By resource type."""
