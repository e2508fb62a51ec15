"""Policy statements that the roles of several platforms' nodes share."""

from __future__ import annotations

from collections.abc import Iterator

from aws_cdk import aws_iam as iam

from clusterwright.cluster_spec.models.cluster import Cluster


def arn(cluster: Cluster, service: str, resource: str) -> str:
    """An ARN of the cluster's account and region."""
    return f"arn:{cluster.partition}:{service}:{cluster.region}:{cluster.account}:{resource}"


def hyperpod_log_groups(cluster: Cluster) -> str:
    """HyperPod's log groups of the cluster, whose names end in an id that AWS chooses."""
    return arn(cluster, "logs", f"log-group:/aws/sagemaker/Clusters/{cluster.environment}/*")


def hyperpod_agents(cluster: Cluster) -> Iterator[iam.PolicyStatement]:
    """Logs and metrics of HyperPod's agents, and Session Manager if the spec enables it."""
    yield iam.PolicyStatement(
        sid="Logs",
        actions=[
            "logs:CreateLogGroup",
            "logs:CreateLogStream",
            "logs:DescribeLogStreams",
            "logs:PutLogEvents",
        ],
        resources=[hyperpod_log_groups(cluster)],
    )
    yield iam.PolicyStatement(
        sid="Metrics",
        actions=["cloudwatch:PutMetricData"],
        resources=["*"],
        conditions={"StringEquals": {"cloudwatch:namespace": "/aws/sagemaker/Clusters"}},
    )
    if cluster.identity.session_manager:
        yield iam.PolicyStatement(
            sid="SessionManager",
            actions=[
                "ssmmessages:CreateControlChannel",
                "ssmmessages:CreateDataChannel",
                "ssmmessages:OpenControlChannel",
                "ssmmessages:OpenDataChannel",
            ],
            resources=["*"],
        )


def images(repositories_arn: str) -> Iterator[iam.PolicyStatement]:
    """Pull images from these repositories."""
    yield iam.PolicyStatement(
        sid="RegistryLogin", actions=["ecr:GetAuthorizationToken"], resources=["*"]
    )
    yield iam.PolicyStatement(
        sid="ContainerImages",
        actions=[
            "ecr:BatchCheckLayerAvailability",
            "ecr:BatchGetImage",
            "ecr:GetDownloadUrlForLayer",
        ],
        resources=[repositories_arn],
    )


def key_use(key_arn: str) -> iam.PolicyStatement:
    """Read and write data that the cluster's key encrypts."""
    return iam.PolicyStatement(
        sid="Key",
        actions=["kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKey"],
        resources=[key_arn],
    )


def volume_grants(key_arn: str) -> iam.PolicyStatement:
    """HyperPod encrypts the nodes' volumes with the key through a grant that the role creates.

    Source: SageMaker developer guide, "Customer managed AWS KMS key encryption for HyperPod".
    """
    return iam.PolicyStatement(
        sid="VolumeGrants",
        actions=["kms:CreateGrant"],
        resources=[key_arn],
        conditions={"Bool": {"kms:GrantIsForAWSResource": "true"}},
    )
