"""Containers in a rehearsal: those of the spec, else stand-ins that are deployed to the cluster.

A spec that asks for no containers gets them here by a deployment, as a user would add them: a
changed spec, the files mirrored to the bucket, then UpdateClusterSoftware, group by group, since
nodes that are there do not run changed scripts by themselves.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clusterwright.artefacts.lock import Artefact, read_lock, write_lock
from clusterwright.artefacts.selection import CONTAINERS
from clusterwright_rehearsal import artefact_mirror, container_stubs
from clusterwright_rehearsal.scenario_api.context import Node, Stage
from clusterwright_rehearsal.scenario_api.software_update import patch

MADE_HERE = "Enroot and Pyxis are stand-ins"
_FOLDERS = "/home/*/.local/share/enroot /root/.local/share/enroot /*/enroot /opt/*/*/enroot"


def are_fetched(stage: Stage) -> bool:
    """Whether nodes install Enroot and Pyxis from the bucket in what is deployed now."""
    found = stage.spec["slurm"].get("containers") or {}
    return bool(found.get("pyxis")) and found.get("install") == "mirrored"


def deploy_stand_ins(stage: Stage) -> None:
    """Let the deployed spec fetch stand-ins from the bucket. Nodes that run have none yet."""
    made = container_stubs.make(stage.folder / "stand-ins")
    _add_others(stage, made.lock)

    def change(spec: dict[str, Any]) -> None:
        spec["slurm"]["containers"] = {"pyxis": True, "install": "mirrored"}
        spec["lifecycle"] = {**spec.get("lifecycle", {}), "artefacts": str(made.lock)}

    stage.deploy(change, artefacts=made.cache)


def need_compiler(stage: Stage) -> None:
    """Leave the scenario where the node image has no compiler for Pyxis."""
    if stage.compute[0].run("command -v tcc").returncode != 0:
        stage.not_for_this("the node image of this Debian suite has no compiler for Pyxis")


def offer(stage: Stage) -> None:
    """Let every node of the cluster have containers, if none has.

    The controller first: the others take its configuration when they start.
    """
    if not (stage.spec["slurm"].get("containers") or {}).get("pyxis"):
        deploy_stand_ins(stage)
    lacking = {node.group: node.role for node in stage.nodes() if not has_pyxis(node)}
    first = [group for group, role in lacking.items() if role == "controller"]
    rest = [group for group in lacking if group not in first]
    for groups in (first, rest):
        if groups and are_fetched(stage):
            patch(stage, *groups)
    stage.settle()


def has_pyxis(node: Node) -> bool:
    """Whether srun has Pyxis's options on a node."""
    return "--container-image" in node.run("srun --help").stdout


def artefacts_of(stage: Stage) -> list[dict[str, Any]]:
    """The files that nodes fetch, as the deployed cluster.json has them, with `bucket` and
    `key`.
    """
    cluster = stage.aws("sagemaker").describe_cluster(ClusterName=stage.cluster.environment)
    uri = cluster["InstanceGroups"][0]["LifeCycleConfig"]["SourceS3Uri"]
    bucket, _, prefix = uri.removeprefix("s3://").rstrip("/").partition("/")
    text = stage.aws("s3").get_object(Bucket=bucket, Key=f"{prefix}/cluster.json")["Body"].read()
    found = json.loads(text)["artefacts"]
    return [
        {**row, "bucket": found["bucket"], "key": f"artefacts/{row['sha256']}/{row['file']}"}
        for row in found["files"]
    ]


def left_behind(node: Node) -> str:
    """What jobs' containers have left unpacked on a node."""
    return node.run(f"find {_FOLDERS} -maxdepth 3 -name 'pyxis_*' 2>/dev/null").stdout.strip()


def _add_others(stage: Stage, lock: Path) -> None:
    """The artefacts of other steps stay in the list."""
    listed = read_lock(artefact_mirror.lock_of(stage.spec))
    others: Sequence[Artefact] = [each for each in listed if CONTAINERS not in each.used_by]
    write_lock(lock, [*read_lock(lock), *others])
