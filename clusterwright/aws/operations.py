"""The operations that this room asks, by botocore's name of the service.

Clients of these services are made with these operations alone (`api_models`); a call of another
one works too, with a client of the whole service. STS is kept whole, since botocore asks it by
itself for credentials. A test holds the table against the code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ALL: Final = "*"

OPERATIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "budgets": ("DescribeBudget",),
    "ce": (
        "GetCostAndUsage",
        "ListCostAllocationTags",
    ),
    "cloudformation": (
        "CreateChangeSet",
        "DeleteChangeSet",
        "DescribeChangeSet",
        "DescribeStackDriftDetectionStatus",
        "DescribeStackResourceDrifts",
        "DescribeStacks",
        "DetectStackDrift",
        "GetTemplate",
        "ListStackResources",
    ),
    "cloudwatch": ("GetMetricStatistics",),
    "ec2": (
        "DescribeAddresses",
        "DescribeAvailabilityZones",
        "DescribeCapacityBlockOfferings",
        "DescribeCapacityBlockStatus",
        "DescribeCapacityReservations",
        "DescribeDhcpOptions",
        "DescribeImages",
        "DescribeInstanceTypeOfferings",
        "DescribeInstanceTypes",
        "DescribeInstances",
        "DescribeInternetGateways",
        "DescribeNatGateways",
        "DescribeNetworkAcls",
        "DescribeNetworkInterfaces",
        "DescribeRouteTables",
        "DescribeSecurityGroups",
        "DescribeSpotPriceHistory",
        "DescribeSubnets",
        "DescribeVpcAttribute",
        "DescribeVpcEndpoints",
        "DescribeVpcs",
    ),
    "eks": ("ListClusters",),
    "fsx": (
        "DescribeDataRepositoryAssociations",
        "DescribeDataRepositoryTasks",
        "DescribeFileSystems",
    ),
    "iam": (
        "GetPolicy",
        "GetPolicyVersion",
        "GetRole",
        "SimulateCustomPolicy",
        "SimulatePrincipalPolicy",
    ),
    "kms": (
        "DescribeKey",
        "GetKeyPolicy",
        "ListAliases",
        "ListKeys",
    ),
    "logs": ("DescribeLogGroups",),
    "organizations": ("DescribeEffectivePolicy",),
    "pricing": ("GetProducts",),
    "rds": (
        "DescribeDBInstances",
        "DescribeDBParameterGroups",
        "DescribeDBSubnetGroups",
    ),
    "s3": (
        "CreateSession",  # which botocore asks by itself of directory buckets
        "GetBucketEncryption",
        "GetBucketLocation",
        "GetBucketPolicy",
        "HeadBucket",
        "HeadObject",
        "ListBuckets",
        "PutObject",
    ),
    "sagemaker": (
        "DescribeCluster",
        "DescribeTrainingPlan",
        "DescribeTrainingPlanExtensionHistory",
        "ListClusters",
        "ListTrainingPlans",
        "SearchTrainingPlanOfferings",
    ),
    "secretsmanager": ("DescribeSecret",),
    "service-quotas": (
        "GetAWSDefaultServiceQuota",
        "GetServiceQuota",
        "ListAWSDefaultServiceQuotas",
        "ListRequestedServiceQuotaChangeHistoryByQuota",
        "ListServiceQuotas",
        "RequestServiceQuotaIncrease",
    ),
    "ssm": ("GetParameter",),
    "sts": (ALL,),
}
