"""AWS services that nodes call, and the VPC endpoints that a closed network needs for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from clusterwright.cluster_spec.karpenter import runs_in_cluster
from clusterwright.cluster_spec.models import Cluster
from clusterwright.cluster_spec.validation.metrics import collected


@dataclass(frozen=True)
class Service:
    """A service that nodes call, the reason, and the condition.

    `name` is the last part of the endpoint's service name, `com.amazonaws.<region>.<name>`.
    """

    name: str
    reason: str
    used: Callable[[Cluster], bool] = lambda _: True


def _session_manager(cluster: Cluster) -> bool:
    return cluster.identity.session_manager


def _file_systems(cluster: Cluster) -> bool:
    """Nodes with Slurm; pods mount volumes by DNS name, without a call to FSx."""
    return not cluster.uses_kubernetes and (
        bool(cluster.storage.lustre) or cluster.storage.home is not None
    )


def _secrets(cluster: Cluster) -> bool:
    return cluster.slurm.accounting.kind == "rds" or cluster.slurm.configuration == "scripted"


def _containers(cluster: Cluster) -> bool:
    return cluster.uses_kubernetes or cluster.slurm.containers.pyxis


def _kubernetes(cluster: Cluster) -> bool:
    return cluster.uses_kubernetes


def _hyperpod(cluster: Cluster) -> bool:
    return cluster.on_hyperpod


def _cloudwatch(cluster: Cluster) -> bool:
    """Nodes in EKS node groups send logs and metrics only through an add-on."""
    names = {addon.name for addon in cluster.kubernetes.addons}
    in_node_groups = cluster.traits.managed_node_groups
    return not in_node_groups or "amazon-cloudwatch-observability" in names


def _provider_stack(cluster: Cluster) -> bool:
    return cluster.traits.provider_stack


def _service_runs_controller(cluster: Cluster) -> bool:
    return cluster.traits.service_runs_controller


def _login_pools(cluster: Cluster) -> bool:
    return _provider_stack(cluster) and any(g.role == "login" for g in cluster.compute)


def _prometheus(cluster: Cluster) -> bool:
    # AWS's collector runs outside the network and needs no endpoint to write to the workspace.
    return cluster.observability.prometheus and not collected(cluster)


def _parameters(cluster: Cluster) -> bool:
    """Karpenter reads the newest EKS image from Parameter Store."""
    return _session_manager(cluster) or runs_in_cluster(cluster)


def _directory_buckets(cluster: Cluster) -> bool:
    return any(bucket.directory for bucket in cluster.storage.buckets)


# ParallelCluster's guide, "AWS ParallelCluster in a single subnet with no internet access", lists
# logs, cloudformation, ec2, s3 and dynamodb, and elasticloadbalancing with login nodes, whose role
# calls autoscaling too (aws-parallelcluster 3.16.1, templates/cdk_builder_utils.py).
INTERFACE_SERVICES: tuple[Service, ...] = (
    Service("autoscaling", "login nodes report their termination to Auto Scaling", _login_pools),
    Service("cloudformation", "nodes signal their stack that they are ready", _provider_stack),
    Service("ec2", "EFA and topology tools describe the instance"),
    Service("ec2messages", "SSM Agent fetches its commands", _session_manager),
    Service("ecr.api", "container images: login and manifests", _containers),
    Service("ecr.dkr", "container images: the registry itself", _containers),
    Service("eks", "nodes describe the EKS cluster that they join", _kubernetes),
    Service("eks-auth", "pods get the credentials of their service accounts", _kubernetes),
    Service("elasticloadbalancing", "the load balancer of login nodes", _login_pools),
    Service("fsx", "nodes look up the file systems that they mount", _file_systems),
    Service("kms", "decrypting objects, secrets and logs with the cluster's key"),
    Service("logs", "HyperPod and the lifecycle scripts log to CloudWatch", _cloudwatch),
    Service("monitoring", "HyperPod's health agent sends metrics to CloudWatch", _cloudwatch),
    Service("aps-workspaces", "metrics for the managed Prometheus workspace", _prometheus),
    Service(
        "sagemaker.api",
        "auto-resume and lifecycle scripts describe the HyperPod cluster",
        _hyperpod,
    ),
    Service("pcs", "nodes register with their cluster", _service_runs_controller),
    Service("secretsmanager", "the accounting database's password, the munge key", _secrets),
    Service("sqs", "Karpenter reads EC2's interruption notices", runs_in_cluster),
    Service("ssm", "SSM Agent and Karpenter read parameters", _parameters),
    Service("ssmmessages", "shells through Session Manager", _session_manager),
    Service("sts", "SDKs call GetCallerIdentity"),
)

GATEWAY_SERVICES: tuple[Service, ...] = (
    Service("s3", "lifecycle scripts, data, container layers, packages; free"),
    Service(
        "dynamodb", "ParallelCluster stores the state of its nodes there; free", _provider_stack
    ),
    Service("s3express", "directory buckets; free", _directory_buckets),
)


def interface_services(cluster: Cluster) -> list[Service]:
    """Return the services that need an interface endpoint: none if there is another egress path.

    An existing network is never modified, so no endpoint is added to it.
    """
    if cluster.network.egress != "closed" or cluster.network.existing is not None:
        return []
    return [service for service in INTERFACE_SERVICES if service.used(cluster)]


def gateway_services(cluster: Cluster) -> list[Service]:
    """Return the services with a gateway endpoint, which is free and also created with a NAT
    gateway.
    """
    return [service for service in GATEWAY_SERVICES if service.used(cluster)]
