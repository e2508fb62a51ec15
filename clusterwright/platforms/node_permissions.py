"""Permissions that nodes use with their role, as data for checking a boundary before deployment.

`tests/platforms/test_node_permissions.py` compares them with the policies in the templates.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.derived_names import STATE_FOLDER, has_scripts, job_role_arn
from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket
from clusterwright.platforms.image_repositories import pulled_repositories
from clusterwright.platforms.kubernetes.control_plane import cluster_name


@dataclass(frozen=True)
class Permission:
    """Actions on one resource, for one reason; `context` has the condition keys of the request.

    `of` is who has it on HyperPod with Slurm and on PCS, where roles differ: every node, the
    controller (on PCS the node that administers) alone, or jobs.
    """

    reason: str
    actions: tuple[str, ...]
    resource: str = "*"
    context: tuple[tuple[str, str], ...] = ()
    of: Literal["nodes", "controller", "jobs"] = "nodes"


def node_permissions(cluster: Cluster, *, key_arn: str | None = None) -> Iterator[Permission]:
    """Every permission that the stacks give the nodes and jobs; ParallelCluster adds its own.

    Parameters
    ----------
    key_arn:
        ARN of the key that encrypts the cluster's storage; None for a placeholder.
    """
    if cluster.traits.managed_node_groups:
        yield from _of_managed_groups(cluster)
        return
    if cluster.uses_kubernetes:
        yield from _agents(cluster)
        yield from _of_kubernetes(cluster)
    else:
        yield from _services(cluster)
        yield from _buckets(cluster)
        yield from _images(cluster)
    key = key_arn or cluster.identity.kms_key_arn or _arn(cluster, "kms", "key/cluster")
    decrypt = ("kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKey")
    yield Permission("data encrypted with the cluster's key", decrypt, key)
    jobs = job_role_arn(cluster)
    if jobs is not None:
        yield Permission("credentials of jobs", ("sts:AssumeRole",), jobs)
        if cluster.storage.buckets:
            yield Permission("data encrypted with the cluster's key", decrypt, key, of="jobs")
    if cluster.traits.provider_stack or cluster.traits.service_runs_controller:
        return
    grant = (("kms:GrantIsForAWSResource", "true"),)
    yield Permission("volumes of the nodes", ("kms:CreateGrant",), key, grant)
    yield from _network(cluster)


def _arn(cluster: Cluster, service: str, resource: str) -> str:
    return f"arn:{cluster.partition}:{service}:{cluster.region}:{cluster.account}:{resource}"


def _agents(cluster: Cluster) -> Iterator[Permission]:
    group = _arn(cluster, "logs", f"log-group:/aws/sagemaker/Clusters/{cluster.environment}/id")
    logs = ("CreateLogGroup", "CreateLogStream", "DescribeLogStreams", "PutLogEvents")
    yield Permission("logs", tuple(f"logs:{action}" for action in logs), group)
    namespace = (("cloudwatch:namespace", "/aws/sagemaker/Clusters"),)
    yield Permission("metrics", ("cloudwatch:PutMetricData",), context=namespace)
    if cluster.identity.session_manager:
        channels = ("CreateControlChannel", "CreateDataChannel", "OpenControlChannel")
        actions = (*channels, "OpenDataChannel")
        yield Permission("shells", tuple(f"ssmmessages:{action}" for action in actions))


def _of_kubernetes(cluster: Cluster) -> Iterator[Permission]:
    yield from _pulls(cluster)
    name = _arn(cluster, "eks", f"cluster/{cluster_name(cluster)}")
    yield Permission("roles of pods", ("eks-auth:AssumeRoleForPodIdentity",), name)
    interface = _arn(cluster, "ec2", "network-interface/eni-any")
    uses = ("AssignPrivateIpAddresses", "ModifyNetworkInterfaceAttribute")
    actions = (*uses, "UnassignPrivateIpAddresses")
    yield Permission("addresses of pods", tuple(f"ec2:{action}" for action in actions), interface)
    if has_scripts(cluster):
        arn = f"arn:{cluster.partition}:s3:::{lifecycle_bucket(cluster)}"
        yield Permission("scripts of nodes", ("s3:ListBucket",), arn)
        yield Permission("scripts of nodes", ("s3:GetObject",), f"{arn}/any")


def _services(cluster: Cluster) -> Iterator[Permission]:
    on_hyperpod = cluster.on_hyperpod
    if on_hyperpod:
        yield from _agents(cluster)
    if cluster.storage.lustre or cluster.storage.home is not None:
        yield Permission("file systems", ("fsx:DescribeFileSystems",))
    if cluster.observability.prometheus:
        yield Permission("metrics", ("aps:RemoteWrite",), _arn(cluster, "aps", "workspace/ws-any"))
    if on_hyperpod:
        yield from _secrets(cluster)
    elif cluster.traits.service_runs_controller:
        yield from _of_pcs(cluster)
    elif cluster.slurm.topology == "tree":
        yield Permission("topology", ("ec2:DescribeInstances", "ec2:DescribeInstanceTopology"))


def _secrets(cluster: Cluster) -> Iterator[Permission]:
    state = f"arn:{cluster.partition}:s3:::{lifecycle_bucket(cluster)}/{STATE_FOLDER}/any"
    yield Permission("state of the cluster", ("s3:PutObject",), state, of="controller")
    accounting = cluster.slurm.accounting
    if accounting.kind == "rds":
        own = _arn(cluster, "secretsmanager", f"secret:{cluster.environment}/slurm-accounting-x")
        secret = accounting.existing.secret_arn if accounting.existing is not None else own
        actions = ("secretsmanager:DescribeSecret", "secretsmanager:GetSecretValue")
        yield Permission("accounting", actions, secret, of="controller")
    if cluster.slurm.configuration == "scripted":
        key = _arn(cluster, "secretsmanager", f"secret:{cluster.environment}/munge-key-x")
        yield Permission("munge key", ("secretsmanager:GetSecretValue",), key)
        if cluster.slurm.topology != "none":
            yield Permission("topology", ("ec2:DescribeInstanceTopology",), of="controller")


def _of_pcs(cluster: Cluster) -> Iterator[Permission]:
    """Registration, logs, shells, and the state that the administering node publishes."""
    yield Permission(
        "registration of the node",
        ("pcs:RegisterComputeNodeGroupInstance",),
        _arn(cluster, "pcs", "cluster/any"),
    )
    group = _arn(cluster, "logs", f"log-group:/clusterwright/{cluster.environment}/nodes")
    logs = ("CreateLogGroup", "CreateLogStream", "DescribeLogStreams", "PutLogEvents")
    yield Permission("logs", tuple(f"logs:{action}" for action in logs), group)
    if cluster.identity.session_manager:
        channels = ("CreateControlChannel", "CreateDataChannel", "OpenControlChannel")
        actions = (*channels, "OpenDataChannel")
        yield Permission(
            "shells",
            ("ssm:UpdateInstanceInformation", *(f"ssmmessages:{action}" for action in actions)),
        )
    state = f"arn:{cluster.partition}:s3:::{lifecycle_bucket(cluster)}/{STATE_FOLDER}/any"
    yield Permission("state of the cluster", ("s3:PutObject",), state, of="controller")


def _images(cluster: Cluster) -> Iterator[Permission]:
    """Images of jobs; where jobs have a role of their own, nodes pull none."""
    if not cluster.slurm.containers.pyxis:
        return
    for permission in _pulls(cluster):
        yield replace(permission, of=_of_data(cluster))


def _pulls(cluster: Cluster) -> Iterator[Permission]:
    yield Permission("container images: login", ("ecr:GetAuthorizationToken",))
    actions = ("BatchCheckLayerAvailability", "BatchGetImage", "GetDownloadUrlForLayer")
    for name in pulled_repositories(cluster):
        repository = _arn(cluster, "ecr", f"repository/{name.replace('*', 'any')}")
        yield Permission("container images", tuple(f"ecr:{a}" for a in actions), repository)


def _buckets(cluster: Cluster) -> Iterator[Permission]:
    """Nodes read their scripts and mounted buckets; jobs use every bucket of the spec."""
    of = _of_data(cluster)
    mounted = [b.name for b in cluster.storage.buckets if b.mount_path]
    write = [b.name for b in cluster.storage.buckets if not b.mount_path and not b.directory]
    for name in (lifecycle_bucket(cluster), *mounted):
        yield from _reading(cluster, name)
    for name in (*(mounted if of == "jobs" else ()), *write):
        for permission in _reading(cluster, name):
            yield replace(permission, of=of)
    for name in write:
        actions = ("s3:AbortMultipartUpload", "s3:ListMultipartUploadParts", "s3:PutObject")
        objects = f"arn:{cluster.partition}:s3:::{name}/any"
        yield Permission(f"bucket {name}", actions, objects, of=of)
    for bucket in cluster.storage.buckets:
        if bucket.directory:
            whole = f"{bucket.name}--{cluster.network.availability_zone_id}--x-s3"
            arn = _arn(cluster, "s3express", f"bucket/{whole}")
            yield Permission(f"bucket {bucket.name}", ("s3express:CreateSession",), arn, of=of)


def _reading(cluster: Cluster, bucket: str) -> Iterator[Permission]:
    arn = f"arn:{cluster.partition}:s3:::{bucket}"
    yield Permission(f"bucket {bucket}", ("s3:GetBucketLocation", "s3:ListBucket"), arn)
    yield Permission(f"bucket {bucket}", ("s3:GetObject",), f"{arn}/any")


def _of_data(cluster: Cluster) -> Literal["nodes", "jobs"]:
    return "nodes" if job_role_arn(cluster) is None else "jobs"


def _network(cluster: Cluster) -> Iterator[Permission]:
    looks = ("DhcpOptions", "NetworkInterfaces", "SecurityGroups", "Subnets", "Vpcs")
    yield Permission("the network", tuple(f"ec2:Describe{what}" for what in looks))
    interface = _arn(cluster, "ec2", "network-interface/eni-any")
    actions = (
        "CreateNetworkInterface",
        "CreateNetworkInterfacePermission",
        "CreateTags",
        "DeleteNetworkInterface",
        "DeleteNetworkInterfacePermission",
        "DetachNetworkInterface",
    )
    yield Permission("the network", tuple(f"ec2:{action}" for action in actions), interface)
    instance = _arn(cluster, "ec2", "instance/i-any")
    yield Permission("the network", ("ec2:DetachNetworkInterface",), instance)


def _of_managed_groups(cluster: Cluster) -> Iterator[Permission]:
    """Nodes with EKS join their cluster, pull images and register for shells; pods do the rest."""
    control_plane = _arn(cluster, "eks", f"cluster/{cluster.environment}")
    joining = ("eks-auth:AssumeRoleForPodIdentity", "eks:DescribeCluster")
    yield Permission("joining the cluster; credentials of pods", joining, control_plane)
    yield Permission(
        "a node describes itself", ("ec2:DescribeInstances", "ec2:DescribeInstanceTypes")
    )
    yield from _pulls(cluster)
    if cluster.identity.session_manager:
        channels = ("CreateControlChannel", "CreateDataChannel", "OpenControlChannel")
        actions = (*channels, "OpenDataChannel")
        yield Permission(
            "shells",
            ("ssm:UpdateInstanceInformation", *(f"ssmmessages:{action}" for action in actions)),
        )
