"""Scripts for nodes of a HyperPod cluster on EKS, in S3 under the digest of their contents.

HyperPod's image configures a node of EKS itself. These scripts run before the node joins, in
groups with scratch; without such a group there is neither a script nor a bucket.
"""

from __future__ import annotations

import hashlib
import shlex
from pathlib import Path

from aws_cdk import aws_s3_deployment as deployment
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from stacks.lifecycle.scripts_stack import ScriptsStack

FOLDER = Path(__file__).parent / "scripts"
SCRIPT = "on_create.sh"

DIGEST_LENGTH = 16


class NodeScriptsStack(ScriptsStack):
    """The bucket, the script, and an entry script for each group with scratch."""

    def __init__(self, scope: Construct, cluster: Cluster) -> None:
        super().__init__(scope, cluster, description="scripts for nodes")
        self.entries = {g.name: f"{g.name}.sh" for g in cluster.compute if g.scratch is not None}
        """The entry script of each group, by the group's name."""

        files = node_scripts(cluster)
        self.prefix = f"lifecycle/{_digest(files)}"
        self.bucket = self.scripts_bucket()
        self.copy_scripts([deployment.Source.data(name, text) for name, text in files.items()])
        self.source_s3_uri = f"s3://{self.bucket.bucket_name}/{self.prefix}/"


def node_scripts(cluster: Cluster) -> dict[str, str]:
    """Texts by name: the script, and for each group an entry script with its arguments."""
    files = {SCRIPT: (FOLDER / SCRIPT).read_text(encoding="utf-8")}
    for group in cluster.compute:
        if group.scratch is not None:
            files[f"{group.name}.sh"] = _entry(group.name, group.scratch.mount_path)
    return files


def _entry(group: str, mount_path: str) -> str:
    # S3 stores no file modes, so call bash.
    return (
        "#!/usr/bin/env bash\n"
        f"# HyperPod runs this on each new node of the group {group}.\n"
        'here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)" || exit\n'
        f'exec bash "$here/{SCRIPT}" --scratch {shlex.quote(mount_path)}\n'
    )


def _digest(files: dict[str, str]) -> str:
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{name}\0{len(files[name])}\0{files[name]}".encode())
    return digest.hexdigest()[:DIGEST_LENGTH]
