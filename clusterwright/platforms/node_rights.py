"""What nodes call with their role, as data: to be asked of a boundary before the role is there.

`tests/stacks/test_node_rights.py` holds it against the policies in the templates.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.derived_names import has_scripts
from clusterwright.platforms.hyperpod import lifecycle_bucket
from clusterwright.platforms.kubernetes.control_plane import cluster_name


@dataclass(frozen=True)
class Right:
    """Actions on one resource, for one reason.

    `context` are condition keys that such a request has.
    """

    reason: str
    actions: tuple[str, ...]
    resource: str = "*"
    context: tuple[tuple[str, str], ...] = ()


def node_rights(cluster: Cluster, *, key_arn: str | None = None) -> Iterator[Right]:
    """Every right that our stacks give the nodes; ParallelCluster gives its own more by itself.

    Parameters
    ----------
    key_arn:
        The key that encrypts the cluster's storage; a name that stands for it where it is None.
    """
    if cluster.platform == "eks":
        yield from _of_managed_groups(cluster)
        return
    if cluster.uses_kubernetes:
        yield from _agents(cluster)
        yield from _of_kubernetes(cluster)
    else:
        yield from _services(cluster)
        yield from _buckets(cluster)
    key = key_arn or cluster.identity.kms_key_arn or _arn(cluster, "kms", "key/cluster")
    decrypt = ("kms:Decrypt", "kms:DescribeKey", "kms:GenerateDataKey")
    yield Right("what is encrypted with the cluster's key", decrypt, key)
    if cluster.platform == "parallelcluster":
        return
    grant = (("kms:GrantIsForAWSResource", "true"),)
    yield Right("volumes of the nodes", ("kms:CreateGrant",), key, grant)
    yield from _network(cluster)


def _arn(cluster: Cluster, service: str, resource: str) -> str:
    return f"arn:{cluster.partition}:{service}:{cluster.region}:{cluster.account}:{resource}"


def _agents(cluster: Cluster) -> Iterator[Right]:
    group = _arn(cluster, "logs", f"log-group:/aws/sagemaker/Clusters/{cluster.environment}/id")
    logs = ("CreateLogGroup", "CreateLogStream", "DescribeLogStreams", "PutLogEvents")
    yield Right("logs", tuple(f"logs:{action}" for action in logs), group)
    namespace = (("cloudwatch:namespace", "/aws/sagemaker/Clusters"),)
    yield Right("metrics", ("cloudwatch:PutMetricData",), context=namespace)
    if cluster.identity.session_manager:
        channels = ("CreateControlChannel", "CreateDataChannel", "OpenControlChannel")
        actions = (*channels, "OpenDataChannel")
        yield Right("shells", tuple(f"ssmmessages:{action}" for action in actions))


def _of_kubernetes(cluster: Cluster) -> Iterator[Right]:
    yield Right("container images", ("ecr:GetAuthorizationToken",))
    pulls = ("BatchCheckLayerAvailability", "BatchGetImage", "GetDownloadUrlForLayer")
    repository = _arn(cluster, "ecr", "repository/any")
    yield Right("container images", tuple(f"ecr:{a}" for a in pulls), repository)
    name = _arn(cluster, "eks", f"cluster/{cluster_name(cluster)}")
    yield Right("roles of pods", ("eks-auth:AssumeRoleForPodIdentity",), name)
    interface = _arn(cluster, "ec2", "network-interface/eni-any")
    uses = ("AssignPrivateIpAddresses", "ModifyNetworkInterfaceAttribute")
    actions = (*uses, "UnassignPrivateIpAddresses")
    yield Right("addresses of pods", tuple(f"ec2:{action}" for action in actions), interface)
    if has_scripts(cluster):
        arn = f"arn:{cluster.partition}:s3:::{lifecycle_bucket(cluster)}"
        yield Right("scripts of nodes", ("s3:ListBucket",), arn)
        yield Right("scripts of nodes", ("s3:GetObject",), f"{arn}/any")


def _services(cluster: Cluster) -> Iterator[Right]:
    ours = cluster.platform != "parallelcluster"
    if ours:
        yield from _agents(cluster)
    if cluster.storage.lustre or cluster.storage.home is not None:
        yield Right("file systems", ("fsx:DescribeFileSystems",))
    if cluster.slurm.containers.pyxis:
        yield Right("container images", ("ecr:GetAuthorizationToken",))
        pulls = ("BatchCheckLayerAvailability", "BatchGetImage", "GetDownloadUrlForLayer")
        repository = _arn(cluster, "ecr", "repository/any")
        yield Right("container images", tuple(f"ecr:{a}" for a in pulls), repository)
    if cluster.observability.prometheus:
        yield Right("metrics", ("aps:RemoteWrite",), _arn(cluster, "aps", "workspace/ws-any"))
    if ours:
        yield from _secrets(cluster)
    elif cluster.slurm.topology == "tree":
        yield Right("topology", ("ec2:DescribeInstances", "ec2:DescribeInstanceTopology"))


def _secrets(cluster: Cluster) -> Iterator[Right]:
    accounting = cluster.slurm.accounting
    if accounting.kind == "rds":
        own = _arn(cluster, "secretsmanager", f"secret:{cluster.environment}/slurm-accounting-x")
        secret = accounting.existing.secret_arn if accounting.existing is not None else own
        actions = ("secretsmanager:DescribeSecret", "secretsmanager:GetSecretValue")
        yield Right("accounting", actions, secret)
    if cluster.slurm.configuration == "scripted":
        key = _arn(cluster, "secretsmanager", f"secret:{cluster.environment}/munge-key-x")
        yield Right("munge key", ("secretsmanager:GetSecretValue",), key)
        if cluster.slurm.topology != "none":
            yield Right("topology", ("ec2:DescribeInstanceTopology",))


def _buckets(cluster: Cluster) -> Iterator[Right]:
    read = [lifecycle_bucket(cluster)]
    read += [b.name for b in cluster.storage.buckets if b.mount_path]
    write = [b.name for b in cluster.storage.buckets if not b.mount_path and not b.directory]
    for name in (*read, *write):
        arn = f"arn:{cluster.partition}:s3:::{name}"
        yield Right(f"bucket {name}", ("s3:GetBucketLocation", "s3:ListBucket"), arn)
        yield Right(f"bucket {name}", ("s3:GetObject",), f"{arn}/any")
    for name in write:
        actions = ("s3:AbortMultipartUpload", "s3:ListMultipartUploadParts", "s3:PutObject")
        yield Right(f"bucket {name}", actions, f"arn:{cluster.partition}:s3:::{name}/any")
    for bucket in cluster.storage.buckets:
        if bucket.directory:
            whole = f"{bucket.name}--{cluster.network.availability_zone_id}--x-s3"
            arn = _arn(cluster, "s3express", f"bucket/{whole}")
            yield Right(f"bucket {bucket.name}", ("s3express:CreateSession",), arn)


def _network(cluster: Cluster) -> Iterator[Right]:
    looks = ("DhcpOptions", "NetworkInterfaces", "SecurityGroups", "Subnets", "Vpcs")
    yield Right("the network", tuple(f"ec2:Describe{what}" for what in looks))
    interface = _arn(cluster, "ec2", "network-interface/eni-any")
    actions = (
        "CreateNetworkInterface",
        "CreateNetworkInterfacePermission",
        "CreateTags",
        "DeleteNetworkInterface",
        "DeleteNetworkInterfacePermission",
        "DetachNetworkInterface",
    )
    yield Right("the network", tuple(f"ec2:{action}" for action in actions), interface)


def _of_managed_groups(cluster: Cluster) -> Iterator[Right]:
    """Nodes of EKS join their cluster, fetch images and register for shells; pods do the rest."""
    control_plane = _arn(cluster, "eks", f"cluster/{cluster.environment}")
    joining = ("eks-auth:AssumeRoleForPodIdentity", "eks:DescribeCluster")
    yield Right("joining the cluster; credentials of pods", joining, control_plane)
    yield Right("a node looks itself up", ("ec2:DescribeInstances", "ec2:DescribeInstanceTypes"))
    yield Right("container images: login", ("ecr:GetAuthorizationToken",))
    images = ("BatchCheckLayerAvailability", "BatchGetImage", "GetDownloadUrlForLayer")
    repositories = _arn(cluster, "ecr", "repository/image")
    yield Right("container images", tuple(f"ecr:{one}" for one in images), repositories)
    if cluster.identity.session_manager:
        channels = ("CreateControlChannel", "CreateDataChannel", "OpenControlChannel")
        actions = (*channels, "OpenDataChannel")
        yield Right(
            "shells",
            ("ssm:UpdateInstanceInformation", *(f"ssmmessages:{one}" for one in actions)),
        )
