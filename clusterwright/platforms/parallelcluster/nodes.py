"""Settings that the head node, login nodes and compute nodes share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.derived_names import STATE_FOLDER
from clusterwright.platforms.parallelcluster.supplied import (
    ON_NODE_CONFIGURED,
    Scripts,
    Supplied,
)

SESSION_MANAGER = "AmazonSSMManagedInstanceCore"
"""AWS's policy for shells through Systems Manager."""


def root_volume(size_gib: int | None) -> dict[str, Any]:
    """Encrypted with the account's EBS key: ParallelCluster supports no other key for root
    volumes.
    """
    found: dict[str, Any] = {"Encrypted": True, "VolumeType": "gp3"}
    return found if size_gib is None else {"Size": size_gib, **found}


def actions(supplied: Supplied, queue: str, groups: Sequence[str]) -> dict[str, Any]:
    """Run the node program after ParallelCluster has set up a compute node.

    `groups` are the compute resources of the queue, named like their groups. The scripts are the
    queue's own: ParallelCluster replaces nodes whose script or arguments change.
    """
    words = list(groups) if len(groups) == 1 else [f"{name}={name}" for name in groups]
    return {"OnNodeConfigured": _version(supplied.scripts_of(queue), words)}


def lasting_actions(supplied: Supplied, group: str, *, updated: bool = False) -> dict[str, Any]:
    """Run the node program on the head node and login nodes, with arguments that never change.

    Update policy of their OnNodeConfigured, arguments included: not supported. If it changed, the
    cluster could not be updated. `updated`: OnNodeUpdated, which may change and which only the
    head node has, contains the version.
    """
    found = {
        "OnNodeConfigured": {
            "Script": supplied.entry_s3_uri,
            "Args": [supplied.latest_s3_uri, LATEST, group],
        }
    }
    if updated:
        found["OnNodeUpdated"] = _version(supplied.scripts, [group])
    return found


LATEST = "latest"
"""Argument in place of a digest: the address is that of an object with the latest version."""


def _version(scripts: Scripts, words: Sequence[str]) -> dict[str, Any]:
    return {
        "Script": f"{scripts.s3_uri}/{ON_NODE_CONFIGURED}",
        "Args": [f"{scripts.s3_uri}/", scripts.manifest_sha256, *words],
    }


def policies(cluster: Cluster, supplied: Supplied) -> dict[str, Any]:
    """Return `Iam` of a pool of login nodes: managed policies in addition to those of
    ParallelCluster.
    """
    arns = list(supplied.policy_arns)
    if cluster.identity.session_manager:
        arns.insert(0, f"arn:{cluster.partition}:iam::aws:policy/{SESSION_MANAGER}")
    return {"AdditionalIamPolicies": [{"Policy": arn} for arn in arns]} if arns else {}


def iam(cluster: Cluster, supplied: Supplied) -> dict[str, Any]:
    """Return `Iam` of the head node and of queues, which also have buckets.

    Buckets with a mount path are read, others written as well. Directory buckets are not
    included: S3 Express has its own permission (s3express:CreateSession), in the policies.
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


def head_iam(cluster: Cluster, supplied: Supplied) -> dict[str, Any]:
    """Return `Iam` of the head node, which also publishes the state of the cluster."""
    found = iam(cluster, supplied)
    state = {
        "BucketName": supplied.scripts_bucket,
        "KeyName": f"{STATE_FOLDER}/*",
        "EnableWriteAccess": True,
    }
    return {**found, "S3Access": [*found["S3Access"], state]}
