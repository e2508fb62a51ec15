"""Scripts for nodes of a HyperPod cluster on EKS, in S3 under the digest of their contents.

HyperPod's image configures a node of EKS itself. These scripts run before the node joins, in
groups with scratch and in held groups; without such a group there is neither a script nor a
bucket.
"""

from __future__ import annotations

import hashlib
import shlex
from pathlib import Path

from aws_cdk import aws_s3_deployment as deployment
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms.kubernetes import kubelet_wait
from stacks.lifecycle.scripts_stack import ScriptsStack

FOLDER = Path(__file__).parent / "scripts"
SCRIPT = "on_create.sh"

DIGEST_LENGTH = 16


class NodeScriptsStack(ScriptsStack):
    """The bucket, the scripts, and an entry script for each group that runs any."""

    def __init__(self, scope: Construct, cluster: Cluster) -> None:
        super().__init__(scope, cluster, description="scripts for nodes")
        self.entries = {g.name: _entry_name(g) for g in cluster.compute if _commands(cluster, g)}
        """The entry script of each group, by the group's name."""

        files = node_scripts(cluster)
        self.prefix = f"lifecycle/{_digest(files)}"
        self.bucket = self.scripts_bucket()
        self.copy_scripts([deployment.Source.data(name, text) for name, text in files.items()])
        self.source_s3_uri = f"s3://{self.bucket.bucket_name}/{self.prefix}/"


def node_scripts(cluster: Cluster) -> dict[str, str]:
    """Texts by name: the scripts, and for each group an entry script with their arguments."""
    files = {}
    for group in cluster.compute:
        commands = _commands(cluster, group)
        if kubelet_wait.SCRIPT in commands:
            files[kubelet_wait.SCRIPT] = kubelet_wait.script()
        if SCRIPT in commands:
            files[SCRIPT] = (FOLDER / SCRIPT).read_text(encoding="utf-8")
        if commands:
            files[_entry_name(group)] = _entry(group.name, commands)
    return files


def _entry_name(group: ComputeGroup) -> str:
    return f"{group.name}.sh"


def _commands(cluster: Cluster, group: ComputeGroup) -> dict[str, tuple[str, ...]]:
    """The scripts that a group's nodes run, in their order, each with its arguments."""
    found: dict[str, tuple[str, ...]] = {}
    if kubelet_wait.delays_kubelet(cluster, group):
        found[kubelet_wait.SCRIPT] = ()
    if group.scratch is not None:
        found[SCRIPT] = ("--scratch", group.scratch.mount_path)
    return found


def _entry(group: str, commands: dict[str, tuple[str, ...]]) -> str:
    # S3 stores no file modes, so call bash.
    lines = [
        " ".join([f'bash "$here/{script}"', *map(shlex.quote, arguments)])
        for script, arguments in commands.items()
    ]
    return (
        "#!/usr/bin/env bash\n"
        f"# HyperPod runs this on each new node of the group {group}.\n"
        'here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)" || exit\n'
        + "".join(f"{line} || exit\n" for line in lines[:-1])
        + f"exec {lines[-1]}\n"
    )


def _digest(files: dict[str, str]) -> str:
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{name}\0{len(files[name])}\0{files[name]}".encode())
    return digest.hexdigest()[:DIGEST_LENGTH]
