"""A change of the lifecycle scripts is rolled out by `cdk deploy`.

The spec gets one more user, who is in the scripts' cluster.json. A deployment puts the new scripts
beside the old ones, under a prefix of their content, and UpdateCluster names them. HyperPod does
not run scripts again on nodes that are there; a replacement does, and UpdateClusterSoftware. So it
matters which nodes still have the old ones: the scenario says so.
"""

from __future__ import annotations

import hashlib
from typing import Any

from clusterwright_rehearsal.platforms.hyperpod.node import SCRIPTS
from clusterwright_rehearsal.scenario_api.context import Node, Stage
from clusterwright_rehearsal.scenario_api.software_update import patch
from clusterwright_rehearsal.scenario_api.training import partition_of

ORDER = 210
MODES = ("managed",)

PROMISES = {
    "beside": "the new scripts are beside the old ones in the bucket, and every group names them",
    "undisturbed": "nodes that run are left alone: same instances, old scripts, a job goes on",
    "replaced": "a replaced node runs the new scripts",
    "patched": "UpdateClusterSoftware lets every node of a group run the new scripts",
    "back": "taking the change back leads to the old prefix, and all nodes run one version again",
}

_USER = {"name": "rollout", "uid": 29999}


def play(stage: Stage) -> None:
    before = stage.spec
    if any(user["name"] == _USER["name"] for user in before["slurm"].get("users", ())):
        stage.not_for_this(f"the spec has a user {_USER['name']} already")
    old = _locations(stage)
    group = stage.compute[0].group
    try:
        _roll_out(stage, group, old)
    finally:
        if stage.spec != before:
            stage.deploy(lambda spec: _without(spec))

    with stage.promise("back"):
        stage.expect(_locations(stage) == old, f"the groups name {_locations(stage)}, not {old}")
        patch(stage, group)
        wrong = [node.name for node in stage.nodes() if not _runs_deployed(stage, node)]
        stage.expect(not wrong, f"{', '.join(wrong)} run other scripts than those deployed")
        stage.settle()


def _roll_out(stage: Stage, group: str, old: dict[str, str]) -> None:
    victim = stage.nodes(group=group)[-1]
    place = stage.nodes(group=group)[0]
    partition = partition_of(stage, group)
    options = [f"--nodelist={place.host}", *([f"--partition={partition}"] if partition else [])]
    job = stage.submit("sleep 600", options=options)
    job.wait("RUNNING", within_s=60)
    instances = {node.name: node.instance_id for node in stage.nodes()}

    with stage.promise("beside"):
        stage.deploy(lambda spec: _with(spec))
        new = _locations(stage)
        same = [name for name, uri in new.items() if uri == old[name]]
        stage.expect(not same, f"{', '.join(same)} still name {old[same[0]] if same else ''}")
        for uri in {*old.values(), *new.values()}:
            stage.expect(_object(stage, uri), f"{uri}cluster.json is not there")

    with stage.promise("undisturbed"):
        now = {node.name: node.instance_id for node in stage.nodes()}
        stage.expect(now == instances, f"instances were {instances}, are {now}")
        stage.expect(job.state == "RUNNING", f"the job that ran before is {job.state}")
        ahead = [node.name for node in stage.nodes() if _runs_deployed(stage, node)]
        stage.expect(not ahead, f"{', '.join(ahead)} have the new scripts already")
        stage.note(f"with the old scripts until they are replaced or patched: {', '.join(now)}")

    with stage.promise("replaced"):
        if victim.name == place.name:
            job.cancel()
        stage.replace(victim)
        stage.wait_running(victim, but=instances[victim.name])
        stage.expect(_runs_deployed(stage, victim), f"{victim} runs the old scripts")
        victim.must(f"id {_USER['name']}")
        job.cancel()

    with stage.promise("patched"):
        stage.settle()
        patch(stage, group)
        for node in stage.nodes(group=group):
            stage.expect(_runs_deployed(stage, node), f"{node} runs the old scripts")
            node.must(f"id {_USER['name']}")
        stage.settle()


def _with(spec: dict[str, Any]) -> None:
    spec["slurm"].setdefault("users", []).append(dict(_USER))


def _without(spec: dict[str, Any]) -> None:
    users = spec["slurm"]["users"]
    spec["slurm"]["users"] = [user for user in users if user["name"] != _USER["name"]]


def _locations(stage: Stage) -> dict[str, str]:
    """Where each group's scripts are, as the API says."""
    cluster = stage.aws("sagemaker").describe_cluster(ClusterName=stage.cluster.environment)
    return {
        group["InstanceGroupName"]: group["LifeCycleConfig"]["SourceS3Uri"].rstrip("/") + "/"
        for group in cluster["InstanceGroups"]
    }


def _object(stage: Stage, uri: str) -> bytes:
    bucket, _, prefix = uri.removeprefix("s3://").partition("/")
    answer = stage.aws("s3").get_object(Bucket=bucket, Key=f"{prefix}cluster.json")
    content: bytes = answer["Body"].read()
    return content


def _runs_deployed(stage: Stage, node: Node) -> bool:
    """Whether a node's scripts are those that its group names now."""
    there = node.must(f"sha256sum {SCRIPTS}/cluster.json").split()[0]
    return there == hashlib.sha256(_object(stage, _locations(stage)[node.group])).hexdigest()
