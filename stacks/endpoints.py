"""Ways to AWS's services without a way to the internet, derived from the services in use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from constructs import Construct

from clusterwright.spec.models.cluster import Cluster


@dataclass(frozen=True)
class Service:
    """A service that nodes call, why, and when.

    `name` is the last part of the endpoint's service name, `com.amazonaws.<region>.<name>`.
    """

    name: str
    reason: str
    used: Callable[[Cluster], bool] = lambda _: True


def _session_manager(cluster: Cluster) -> bool:
    return cluster.identity.session_manager


def _file_systems(cluster: Cluster) -> bool:
    return bool(cluster.storage.lustre) or cluster.storage.home is not None


def _accounting(cluster: Cluster) -> bool:
    return cluster.slurm.accounting.kind == "rds"


def _containers(cluster: Cluster) -> bool:
    return cluster.slurm.containers.pyxis


def _prometheus(cluster: Cluster) -> bool:
    return cluster.observability.prometheus


INTERFACE_SERVICES: tuple[Service, ...] = (
    Service("ec2", "EFA and topology tools ask EC2 about the instance"),
    Service("ec2messages", "SSM Agent fetches its commands", _session_manager),
    Service("ecr.api", "container images: login and manifests", _containers),
    Service("ecr.dkr", "container images: the registry itself", _containers),
    Service("fsx", "nodes look up the file systems that they mount", _file_systems),
    Service("kms", "decrypting objects, secrets and logs with the cluster's key"),
    Service("logs", "HyperPod and the lifecycle scripts log to CloudWatch"),
    Service("monitoring", "HyperPod's health agent sends metrics to CloudWatch"),
    Service("aps-workspaces", "metrics for the managed Prometheus workspace", _prometheus),
    Service("sagemaker.api", "auto-resume and lifecycle scripts ask HyperPod about the cluster"),
    Service("secretsmanager", "the password of the accounting database", _accounting),
    Service("ssm", "SSM Agent registers and reads parameters", _session_manager),
    Service("ssmmessages", "shells through Session Manager", _session_manager),
    Service("sts", "every SDK asks who it is"),
)

GATEWAY_SERVICES: tuple[Service, ...] = (
    Service("s3", "lifecycle scripts, data, container layers, packages; costs nothing"),
    Service(
        "s3express",
        "directory buckets; costs nothing",
        lambda cluster: any(b.directory for b in cluster.storage.buckets),
    ),
)


def interface_services(cluster: Cluster) -> list[Service]:
    """Services that need an interface endpoint where there is no other way out."""
    if cluster.network.egress != "closed":
        return []
    return [service for service in INTERFACE_SERVICES if service.used(cluster)]


def gateway_services(cluster: Cluster) -> list[Service]:
    """Services with a gateway endpoint, which is free, so it is there with a NAT gateway too."""
    return [service for service in GATEWAY_SERVICES if service.used(cluster)]


class Endpoints(Construct):
    """The endpoints of a VPC: gateways in its route tables, interfaces in one subnet."""

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
                # The CDK knows which services have a prefix of their own in the Chinese regions.
                service_name=ec2.InterfaceVpcEndpointAwsService(service.name).name,
                subnet_ids=[subnet_id],
                security_group_ids=[security_group_id] if security_group_id else None,
                private_dns_enabled=True,
                policy_document=_own_account(cluster),
            )


def _logical(service: str) -> str:
    return "".join(word.capitalize() for word in service.replace("-", ".").split("."))


def _own_account(cluster: Cluster, sid: str = "OwnAccountOnly") -> iam.PolicyDocument:
    """Only principals of this account pass: data cannot leave with somebody else's credentials."""
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
    if service == "s3" and cluster.slurm.containers.pyxis:
        # Layers of ECR images are fetched with URLs that ECR signs, not this account.
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
    return iam.PolicyDocument(statements=statements)
