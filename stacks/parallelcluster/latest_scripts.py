"""The latest scripts of ParallelCluster's nodes at a fixed address.

ParallelCluster refuses to update a cluster in which the script of the head node or of login nodes
changes, or its arguments (update policy of their OnNodeConfigured). So they run this script, which
looks up the location of the latest scripts.
"""

from __future__ import annotations

from typing import Final

from aws_cdk import aws_s3_deployment as deployment
from constructs import Construct

from clusterwright import files
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.parallelcluster.supplied import ON_NODE_CONFIGURED
from stacks.base import names
from stacks.lifecycle import scripts
from stacks.lifecycle.lifecycle_stack import LifecycleStack

FOLDER: Final = "parallelcluster"
LATEST: Final = "latest"


class LatestScripts(Construct):
    """Two objects: the entry script, and a line with the prefix and the manifest's digest."""

    def __init__(self, lifecycle: LifecycleStack) -> None:
        super().__init__(lifecycle, "Latest")
        cluster = lifecycle.cluster
        entry = files.read_text(scripts.FOLDER / ON_NODE_CONFIGURED)
        line = f"{scripts_s3_uri(cluster, lifecycle.prefix)}/ {lifecycle.manifest_sha256}\n"
        copy = deployment.BucketDeployment(
            self,
            "Copy",
            destination_bucket=lifecycle.bucket,
            destination_key_prefix=FOLDER,
            sources=[
                deployment.Source.data(ON_NODE_CONFIGURED, entry),
                deployment.Source.data(LATEST, line),
            ],
            retain_on_delete=True,
            prune=False,
            memory_limit=lifecycle.copy_memory_mib,
            role=lifecycle.copying_role,
            log_group=lifecycle.copying_log_group,
        )
        # Upload the line last, so that a node finds all files that it names.
        copy.node.add_dependency(lifecycle.copy)


def scripts_s3_uri(cluster: Cluster, prefix: str) -> str:
    """The folder of one version of the scripts, without a trailing slash."""
    return f"s3://{names.lifecycle_bucket(cluster)}/{prefix}"


def entry_s3_uri(cluster: Cluster) -> str:
    """The script of the head node and of login nodes."""
    return f"s3://{names.lifecycle_bucket(cluster)}/{FOLDER}/{ON_NODE_CONFIGURED}"


def latest_s3_uri(cluster: Cluster) -> str:
    """The object with the location of the latest scripts."""
    return f"s3://{names.lifecycle_bucket(cluster)}/{FOLDER}/{LATEST}"
