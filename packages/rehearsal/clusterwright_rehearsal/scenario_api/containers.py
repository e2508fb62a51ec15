"""Containers in a rehearsal: those of the spec, else stubs that a scenario deploys.

To a spec without containers they are added by a deployment, as a user would do it: a changed spec,
artefacts mirrored to the bucket, then UpdateClusterSoftware for each group, since existing nodes
do not run changed scripts by themselves.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clusterwright.artefacts.lock import Artefact, read_lock, write_lock
from clusterwright.artefacts.selection import CONTAINERS
from clusterwright_rehearsal import artefact_mirror, container_stubs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.software_update import update_software

STUBS_NOTE = "Enroot and Pyxis are stubs"
_FOLDERS = "/home/*/.local/share/enroot /root/.local/share/enroot /*/enroot /opt/*/*/enroot"


def are_downloaded(context: ScenarioContext) -> bool:
    """Whether the nodes of the current deployment install Enroot and Pyxis from the bucket."""
    found = context.spec["slurm"].get("containers") or {}
    return bool(found.get("pyxis")) and found.get("install") == "mirrored"


def deploy_stubs(context: ScenarioContext) -> None:
    """Deploy a spec with stubs in the bucket. Running nodes do not have them yet."""
    made = container_stubs.create(context.folder / "container-stubs")
    _add_other_artefacts(context, made.lock)

    def change(spec: dict[str, Any]) -> None:
        spec["slurm"]["containers"] = {"pyxis": True, "install": "mirrored"}
        spec["lifecycle"] = {**spec.get("lifecycle", {}), "artefacts": str(made.lock)}

    context.deploy(change, artefacts=made.cache)


def require_compiler(context: ScenarioContext) -> None:
    """Skip the scenario if the node image has no compiler for Pyxis."""
    if context.compute[0].run("command -v tcc").returncode != 0:
        context.skip("the node image of this Debian suite has no compiler for Pyxis")


def install(context: ScenarioContext) -> None:
    """Install containers on every node of the cluster that has none.

    The controller first, because the other nodes read its configuration when they start.
    """
    if not (context.spec["slurm"].get("containers") or {}).get("pyxis"):
        deploy_stubs(context)
    lacking = {node.group: node.role for node in context.nodes() if not has_pyxis(node)}
    first = [group for group, role in lacking.items() if role == "controller"]
    rest = [group for group in lacking if group not in first]
    for groups in (first, rest):
        if groups and are_downloaded(context):
            update_software(context, *groups)
    context.wait_idle()


def has_pyxis(node: Node) -> bool:
    """Whether srun on a node has the options of Pyxis."""
    return "--container-image" in node.run("srun --help").stdout


def artefacts_of(context: ScenarioContext) -> list[dict[str, Any]]:
    """The artefacts in the deployed cluster.json, with `bucket` and `key`."""
    cluster = context.aws("sagemaker").describe_cluster(ClusterName=context.cluster.environment)
    uri = cluster["InstanceGroups"][0]["LifeCycleConfig"]["SourceS3Uri"]
    bucket, _, prefix = uri.removeprefix("s3://").rstrip("/").partition("/")
    text = context.aws("s3").get_object(Bucket=bucket, Key=f"{prefix}/cluster.json")["Body"].read()
    found = json.loads(text)["artefacts"]
    return [
        {**row, "bucket": found["bucket"], "key": f"artefacts/{row['sha256']}/{row['file']}"}
        for row in found["files"]
    ]


def leftover_folders(node: Node) -> str:
    """The container root folders that jobs have left on a node."""
    return node.run(f"find {_FOLDERS} -maxdepth 3 -name 'pyxis_*' 2>/dev/null").stdout.strip()


def _add_other_artefacts(context: ScenarioContext, lock: Path) -> None:
    """Add the artefacts of other steps to the lock file."""
    listed = read_lock(artefact_mirror.lock_path(context.spec))
    others: Sequence[Artefact] = [row for row in listed if CONTAINERS not in row.used_by]
    write_lock(lock, [*read_lock(lock), *others])
