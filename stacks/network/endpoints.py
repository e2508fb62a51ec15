"""VPC endpoints of AWS's services, derived from the services in use."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.endpoints import gateway_services, interface_services


class Endpoints(Construct):
    """The endpoints of a VPC: gateway endpoints in its route tables, interfaces in one subnet."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        cluster: Cluster,
        *,
        vpc_id: str,
        route_table_ids: Sequence[str],
        subnet_id: str,
        security_group_id: str | None,
    ) -> None:
        super().__init__(scope, construct_id)
        for service in gateway_services(cluster):
            ec2.CfnVPCEndpoint(
                self,
                _logical(service.name),
                vpc_id=vpc_id,
                vpc_endpoint_type="Gateway",
                service_name=f"com.amazonaws.{cluster.region}.{service.name}",
                route_table_ids=list(route_table_ids),
                policy_document=_gateway_policy(cluster, service.name),
            )
        for service in interface_services(cluster):
            ec2.CfnVPCEndpoint(
                self,
                _logical(service.name),
                vpc_id=vpc_id,
                vpc_endpoint_type="Interface",
                # The CDK has the services with another prefix in the China regions.
                service_name=ec2.InterfaceVpcEndpointAwsService(service.name).name,
                subnet_ids=[subnet_id],
                security_group_ids=[security_group_id] if security_group_id else None,
                private_dns_enabled=True,
                policy_document=_own_account(cluster),
            )


def _logical(service: str) -> str:
    return "".join(word.capitalize() for word in service.replace("-", ".").split("."))


def _own_account(cluster: Cluster, sid: str = "OwnAccountOnly") -> iam.PolicyDocument:
    """Allow only principals of this account: no data transfer with external credentials."""
    return iam.PolicyDocument(statements=[_own_account_statement(cluster, sid)])


def _own_account_statement(cluster: Cluster, sid: str) -> iam.PolicyStatement:
    return iam.PolicyStatement(
        sid=sid,
        principals=[iam.AnyPrincipal()],
        actions=["*"],
        resources=["*"],
        conditions={"StringEquals": {"aws:PrincipalAccount": cluster.account}},
    )


def _gateway_policy(cluster: Cluster, service: str) -> iam.PolicyDocument:
    statements = [_own_account_statement(cluster, "OwnAccountOnly")]
    if service == "s3" and (cluster.uses_kubernetes or cluster.slurm.containers.pyxis):
        # Layers of ECR images are downloaded with URLs that ECR signs, not this account.
        statements.append(
            iam.PolicyStatement(
                sid="ContainerLayers",
                principals=[iam.AnyPrincipal()],
                actions=["s3:GetObject"],
                resources=[
                    f"arn:{cluster.partition}:s3:::prod-{cluster.region}-starport-layer-bucket/*"
                ],
            )
        )
    if service == "s3" and cluster.traits.provider_stack:
        # CloudFormation signs the URL with which nodes signal that they are ready
        # (ParallelCluster's guide, "AWS ParallelCluster in a single subnet with no internet
        # access").
        statements.append(
            iam.PolicyStatement(
                sid="WaitConditions",
                principals=[iam.AnyPrincipal()],
                actions=["s3:PutObject"],
                resources=[
                    f"arn:{cluster.partition}:s3:::cloudformation-waitcondition-{cluster.region}/*"
                ],
            )
        )
    return iam.PolicyDocument(statements=statements)
