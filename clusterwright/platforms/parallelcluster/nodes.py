"""What the head node, login nodes and compute nodes are told alike."""

from __future__ import annotations

from typing import Any, Literal

from clusterwright.platforms.parallelcluster.supplied import ON_NODE_CONFIGURED, Supplied
from clusterwright.spec.models.cluster import Cluster

Role = Literal["controller", "login", "compute"]

SESSION_MANAGER = "AmazonSSMManagedInstanceCore"
"""AWS's policy for shells through Systems Manager."""


def root_volume(size_gib: int | None) -> dict[str, Any]:
    """Encrypted with the account's EBS key: ParallelCluster takes no other for root volumes."""
    found: dict[str, Any] = {"Encrypted": True, "VolumeType": "gp3"}
    return found if size_gib is None else {"Size": size_gib, **found}


def actions(
    cluster: Cluster, supplied: Supplied, role: Role, name: str, *, efa: bool = False
) -> dict[str, Any]:
    """Our node program after ParallelCluster's own set-up; before it, only LNet over EFA.

    ParallelCluster mounts Lustre between the two, and a mount stays on the network it was made
    with: LNet must have its EFA interfaces by then. `efa` says whether these nodes have any.
    """
    script = f"{supplied.scripts_s3_uri}/{ON_NODE_CONFIGURED}"
    arguments = [supplied.scripts_s3_uri, role, name]
    found: dict[str, Any] = {}
    if efa and any(fs.efa for fs in cluster.storage.lustre):
        found["OnNodeStart"] = {"Script": script, "Args": [*arguments, "--only", "lnet_efa"]}
    found["OnNodeConfigured"] = {"Script": script, "Args": arguments}
    return found


def policies(cluster: Cluster, supplied: Supplied) -> dict[str, Any]:
    """`Iam` of a pool of login nodes: managed policies beside those that ParallelCluster makes."""
    arns = list(supplied.policy_arns)
    if cluster.identity.session_manager:
        arns.insert(0, f"arn:{cluster.partition}:iam::aws:policy/{SESSION_MANAGER}")
    return {"AdditionalIamPolicies": [{"Policy": arn} for arn in arns]} if arns else {}


def iam(cluster: Cluster, supplied: Supplied) -> dict[str, Any]:
    """`Iam` of the head node and of queues, which take buckets too.

    Buckets with a mount path are read, others written as well. Directory buckets are not among
    them: S3 Express has a right of its own (s3express:CreateSession), which is in the policies.
    """
    access: list[dict[str, Any]] = [{"BucketName": supplied.scripts_bucket}]
    for bucket in cluster.storage.buckets:
        if bucket.directory:
            continue
        entry: dict[str, Any] = {"BucketName": bucket.name}
        if bucket.mount_path is None:
            entry["EnableWriteAccess"] = True
        access.append(entry)
    return {**policies(cluster, supplied), "S3Access": access}
