"""The IAM actions that the operating commands call, with the resources that they name.

Reading and acting are apart: who may read `state/*` of the bucket of the scripts sees the
scheduler's view, and who may write `requests/*` may act on nodes through the controller.
`s3:ListBucket` is for the bucket as a whole: S3 answers 403 instead of 404 without it if the
controller has not published its state yet (S3 API, GetObject), and a GetObject has no `s3:prefix`
that a condition could limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_state.capacity import purchases
from clusterwright.cluster_state.deep_health import log_groups
from clusterwright.cluster_state.drift_permissions import READ_ACTIONS
from clusterwright.cluster_state.parts import Part, parts_of
from clusterwright.platforms.deployment_permissions import RESOURCES
from clusterwright.platforms.hyperpod.instance_groups import lifecycle_bucket
from clusterwright.platforms.kubernetes.control_plane import cluster_name
from clusterwright.platforms.stack_names import PARTS, stack_name
from clusterwright.platforms.tags import ENVIRONMENT_TAG

ALL = "*"
Actions = dict[str, tuple[str, ...]]
"""Resources by action; `*` for actions that IAM does not limit to resources."""

_EC2_ACTIONS: Final[Mapping[str, str]] = {
    "reboot": "ec2:RebootInstances",
    "replace": "ec2:TerminateInstances",
}

LIVE_ACTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "AWS::CloudWatch::Alarm": ("cloudwatch:DescribeAlarms",),
    "AWS::EC2::LaunchTemplate": ("ec2:DescribeLaunchTemplateVersions",),
    "AWS::EC2::PlacementGroup": ("ec2:DescribePlacementGroups",),
    "AWS::EC2::RouteTable": ("ec2:DescribeRouteTables",),
    "AWS::EC2::SecurityGroup": ("ec2:DescribeSecurityGroups",),
    "AWS::EC2::Subnet": ("ec2:DescribeSubnets",),
    "AWS::EC2::VPC": (
        "ec2:DescribeDhcpOptions",
        "ec2:DescribeInternetGateways",
        "ec2:DescribeNatGateways",
        "ec2:DescribeNetworkAcls",
        "ec2:DescribeSubnets",
        "ec2:DescribeVpcEndpoints",
        "ec2:DescribeVpcPeeringConnections",
        "ec2:DescribeVpcs",
    ),
    "AWS::EC2::VPCEndpoint": ("ec2:DescribeVpcEndpoints",),
    "AWS::EKS::Cluster": (
        "eks:ListAccessEntries",
        "eks:ListAddons",
        "eks:ListNodegroups",
        "eks:ListPodIdentityAssociations",
    ),
    "AWS::FSx::DataRepositoryAssociation": ("fsx:DescribeDataRepositoryAssociations",),
    "AWS::FSx::FileSystem": (
        "fsx:DescribeDataRepositoryAssociations",
        "fsx:DescribeFileSystems",
    ),
    "AWS::IAM::ManagedPolicy": ("iam:GetPolicy", "iam:GetPolicyVersion"),
    "AWS::IAM::Role": (
        "iam:GetRole",
        "iam:GetRolePolicy",
        "iam:ListAttachedRolePolicies",
        "iam:ListRolePolicies",
    ),
    "AWS::KMS::Key": ("kms:GetKeyPolicy",),
    "AWS::SNS::Topic": ("sns:ListSubscriptionsByTopic",),
}
"""What `drift` calls for the live state of each type, beside `sagemaker:DescribeCluster`."""


def reading(cluster: Cluster, command: str) -> Actions:
    """What a command of `parts.PARTS_READ`, `status` or `node` calls to read."""
    found: dict[str, list[str]] = {}
    parts = parts_of(command)
    for part, action, resource in _read(cluster):
        if part in parts:
            _add(found, action, resource)
    if command in _FURTHER:
        for action, resource in _FURTHER[command](cluster):
            _add(found, action, resource)
    return {
        action: (ALL,) if ALL in found[action] else tuple(found[action])
        for action in sorted(found)
    }


def acting(cluster: Cluster, verbs: Mapping[str, str]) -> Actions:
    """What `node` calls to act.

    Parameters
    ----------
    verbs:
        The means by verb, as `operate.node_plan.means_of` returns them.
    """
    found: Actions = {}
    for verb, means in verbs.items():
        if means == "hyperpod":
            action = f"sagemaker:Batch{verb.capitalize()}ClusterNodes"
            found[action] = (_arn(cluster, "sagemaker", "cluster/*"),)
        elif means == "ec2":
            found[_EC2_ACTIONS[verb]] = (_arn(cluster, "ec2", "instance/*"),)
    # Nodes are drained before a reboot or a replacement by the platform, and resumed afterwards.
    if cluster.uses_slurm and verbs:
        found |= requesting(cluster)
    return dict(sorted(found.items()))


def condition(cluster: Cluster, action: str) -> Mapping[str, Mapping[str, str]] | None:
    """The condition that limits an action to the cluster or its instances; None without one.

    Source: Service Authorization Reference, "Actions, resources, and condition keys for Amazon
    SageMaker": clusters have `aws:ResourceTag/${TagKey}`.
    """
    of_cluster = action.startswith("sagemaker:Batch") or action in checking_health(cluster)
    if not of_cluster and action not in _EC2_ACTIONS.values():
        return None
    return {"StringEquals": {f"aws:ResourceTag/{ENVIRONMENT_TAG}": cluster.environment}}


def requesting(cluster: Cluster) -> Actions:
    """What a request to the controller needs, as `accept` sends it."""
    return {"s3:PutObject": (f"{_bucket(cluster)}/requests/*",)}


def checking_health(cluster: Cluster) -> Actions:
    """What `accept --deep-health-checks` calls to act."""
    return {"sagemaker:StartClusterHealthCheck": (_arn(cluster, "sagemaker", "cluster/*"),)}


def _add(found: dict[str, list[str]], action: str, resource: str) -> None:
    resources = found.setdefault(action, [])
    if resource not in resources:
        resources.append(resource)


def _read(cluster: Cluster) -> Iterator[tuple[Part, str, str]]:
    environment = cluster.environment
    for part in PARTS:
        name = stack_name(environment, part)
        resource = _arn(cluster, "cloudformation", f"stack/{name}/*")
        yield "stacks", "cloudformation:DescribeStacks", resource
    deployed = _arn(cluster, "cloudformation", f"stack/{stack_name(environment, 'cluster')}/*")
    yield "deployed-spec", "cloudformation:GetTemplate", deployed
    for part in PARTS:
        resource = _arn(cluster, "cloudformation", f"stack/{stack_name(environment, part)}/*")
        for operation in ("DescribeStacks", "GetTemplate", "ListStackResources"):
            yield "rules", f"cloudformation:{operation}", resource
    yield "rules", "ec2:DescribeSecurityGroups", ALL
    for action, resource in _cluster(cluster):
        yield "cluster", action, resource
    for action, resource in _nodes(cluster):
        yield "nodes", action, resource
    if cluster.uses_slurm:
        yield "scheduler", "s3:GetObject", f"{_bucket(cluster)}/state/*"
        yield "scheduler", "s3:ListBucket", _bucket(cluster)
    else:
        resource = _arn(cluster, "eks", f"cluster/{cluster_name(cluster)}")
        yield "scheduler", "eks:DescribeCluster", resource
    if cluster.on_hyperpod:
        yield "deep-health", "logs:DescribeLogGroups", ALL
        group = f"log-group:{log_groups(cluster)}*"
        yield "deep-health", "logs:FilterLogEvents", _arn(cluster, "logs", group)
    for identifier, kind in purchases(cluster).items():
        if kind == "training-plan":
            yield "capacity", "sagemaker:DescribeTrainingPlan", identifier
        else:
            yield "capacity", "ec2:DescribeCapacityReservations", ALL
        if kind == "capacity-block":
            yield "capacity", "ec2:DescribeCapacityBlockStatus", ALL


def _cluster(cluster: Cluster) -> Iterator[tuple[str, str]]:
    if cluster.on_hyperpod:
        # The ARN has the cluster's id, which only the answer contains.
        yield "sagemaker:DescribeCluster", _arn(cluster, "sagemaker", "cluster/*")
    elif cluster.uses_kubernetes:
        resource = _arn(cluster, "eks", f"cluster/{cluster_name(cluster)}")
        yield "eks:DescribeCluster", resource
        yield from _nodegroups(cluster)
    else:
        resource = _arn(cluster, "cloudformation", f"stack/{cluster.environment}/*")
        yield "cloudformation:DescribeStacks", resource


def _nodes(cluster: Cluster) -> Iterator[tuple[str, str]]:
    if cluster.on_hyperpod:
        yield "sagemaker:ListClusterNodes", _arn(cluster, "sagemaker", "cluster/*")
        return
    yield "ec2:DescribeInstances", ALL
    if cluster.uses_kubernetes:
        yield from _nodegroups(cluster)


def _nodegroups(cluster: Cluster) -> Iterator[tuple[str, str]]:
    name = cluster_name(cluster)
    yield "eks:ListNodegroups", _arn(cluster, "eks", f"cluster/{name}")
    yield "eks:DescribeNodegroup", _arn(cluster, "eks", f"nodegroup/{name}/*/*")


def _network_nodes(cluster: Cluster) -> Iterator[tuple[str, str]]:
    """What `topology` calls in addition: EC2 does not list nodes of HyperPod."""
    if not cluster.on_hyperpod:
        yield "ec2:DescribeInstanceTopology", ALL


def _live_resources(cluster: Cluster) -> Iterator[tuple[str, str]]:
    """What `drift` calls in addition, of stacks and of resources that they may contain."""
    # They list: every stack, those that were deleted, and every resource of a type.
    yield "cloudformation:DescribeStacks", ALL
    yield "cloudformation:ListStacks", ALL
    yield "cloudformation:DescribeStackDriftDetectionStatus", ALL
    for part in PARTS:
        name = stack_name(cluster.environment, part)
        resource = _arn(cluster, "cloudformation", f"stack/{name}/*")
        for operation in (
            "DescribeStackResourceDrifts",
            "DetectStackDrift",
            "DetectStackResourceDrift",
            "GetTemplate",
            "ListStackResources",
        ):
            yield f"cloudformation:{operation}", resource
    for kind, created in RESOURCES.items():
        if created.used(cluster):
            for action in (*LIVE_ACTIONS.get(kind, ()), *READ_ACTIONS.get(kind, ())):
                yield action, ALL
    if cluster.on_hyperpod or cluster.uses_slurm:
        # When the uploaded scripts were written.
        yield "s3:ListBucket", _bucket(cluster)
    if (cluster.on_hyperpod or cluster.traits.service_runs_controller) and cluster.uses_slurm:
        # The node program and its inputs, under a digest that only the deployment knows.
        yield "s3:GetObject", f"{_bucket(cluster)}/lifecycle/*"


_FURTHER: Final[Mapping[str, Callable[[Cluster], Iterator[tuple[str, str]]]]] = {
    "drift": _live_resources,
    "topology": _network_nodes,
}


def _bucket(cluster: Cluster) -> str:
    return f"arn:{cluster.partition}:s3:::{lifecycle_bucket(cluster)}"


def _arn(cluster: Cluster, service: str, resource: str) -> str:
    return f"arn:{cluster.partition}:{service}:{cluster.region}:{cluster.account}:{resource}"
