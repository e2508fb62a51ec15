"""A change of the lifecycle scripts is rolled out by `cdk deploy`.

The spec gets one more user, who is in the scripts' cluster.json. A deployment stores the new
scripts beside the old ones, under a prefix of their content, and UpdateCluster refers to them.
HyperPod does not run scripts again on existing nodes; a replacement and UpdateClusterSoftware do.
The scenario therefore reports which nodes still have the old scripts.
"""

from __future__ import annotations

import hashlib
from typing import Any

from clusterwright_rehearsal.platforms.hyperpod.node import SCRIPTS
from clusterwright_rehearsal.scenario_api import jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.software_update import update_software

ORDER = 210
SECONDS = 95
MODES = ("managed",)

PROMISES = {
    "beside": "the new scripts are in the bucket beside the old ones, and every group refers to"
    " them",
    "undisturbed": "running nodes are not affected: same instances, old scripts, a job continues",
    "replaced": "a replaced node runs the new scripts",
    "patched": "UpdateClusterSoftware makes every node of a group run the new scripts",
    "back": "reverting the change restores the old prefix, and all nodes run one version again",
}

_USER = {"name": "rollout", "uid": 29999}


def run(context: ScenarioContext) -> None:
    before = context.spec
    if any(user["name"] == _USER["name"] for user in before["slurm"].get("users", ())):
        context.skip(f"the spec has a user {_USER['name']} already")
    old = _locations(context)
    group = context.compute[0].group
    try:
        _roll_out(context, group, old)
    finally:
        if context.spec != before:
            context.deploy(lambda spec: _without(spec))

    with context.promise("back"):
        context.expect(
            _locations(context) == old, f"the groups refer to {_locations(context)}, not {old}"
        )
        update_software(context, group)
        wrong = [node.name for node in context.nodes() if not _runs_deployed(context, node)]
        context.expect(not wrong, f"{', '.join(wrong)} do not run the deployed scripts")
        context.wait_idle()


def _roll_out(context: ScenarioContext, group: str, old: dict[str, str]) -> None:
    victim = context.nodes(group=group)[-1]
    place = context.nodes(group=group)[0]
    job = jobs.submit_to_node(context, place, "sleep 600")
    job.wait("RUNNING", within_s=60)
    instances = {node.name: node.instance_id for node in context.nodes()}

    with context.promise("beside"):
        context.deploy(lambda spec: _with(spec))
        new = _locations(context)
        same = [name for name, uri in new.items() if uri == old[name]]
        context.expect(
            not same, f"{', '.join(same)} still refer to {old[same[0]] if same else ''}"
        )
        for uri in {*old.values(), *new.values()}:
            context.expect(_object(context, uri), f"{uri}cluster.json does not exist")

    with context.promise("undisturbed"):
        now = {node.name: node.instance_id for node in context.nodes()}
        context.expect(now == instances, f"instances were {instances}, are {now}")
        context.expect(job.state == "RUNNING", f"the earlier job is {job.state}")
        ahead = [node.name for node in context.nodes() if _runs_deployed(context, node)]
        context.expect(not ahead, f"{', '.join(ahead)} already have the new scripts")
        context.note(
            f"nodes with old scripts until a replacement or software update: {', '.join(now)}"
        )

    with context.promise("replaced"):
        if victim.name == place.name:
            job.cancel()
        context.replace(victim)
        context.wait_running(victim, but=instances[victim.name])
        context.expect(_runs_deployed(context, victim), f"{victim} runs the old scripts")
        victim.must(f"id {_USER['name']}")
        job.cancel()

    with context.promise("patched"):
        context.wait_idle()
        update_software(context, group)
        for node in context.nodes(group=group):
            context.expect(_runs_deployed(context, node), f"{node} runs the old scripts")
            node.must(f"id {_USER['name']}")
        context.wait_idle()


def _with(spec: dict[str, Any]) -> None:
    spec["slurm"].setdefault("users", []).append(dict(_USER))


def _without(spec: dict[str, Any]) -> None:
    users = spec["slurm"]["users"]
    spec["slurm"]["users"] = [user for user in users if user["name"] != _USER["name"]]


def _locations(context: ScenarioContext) -> dict[str, str]:
    """The location of each group's scripts in the API."""
    cluster = context.aws("sagemaker").describe_cluster(ClusterName=context.cluster.environment)
    return {
        group["InstanceGroupName"]: group["LifeCycleConfig"]["SourceS3Uri"].rstrip("/") + "/"
        for group in cluster["InstanceGroups"]
    }


def _object(context: ScenarioContext, uri: str) -> bytes:
    bucket, _, prefix = uri.removeprefix("s3://").partition("/")
    answer = context.aws("s3").get_object(Bucket=bucket, Key=f"{prefix}cluster.json")
    content: bytes = answer["Body"].read()
    return content


def _runs_deployed(context: ScenarioContext, node: Node) -> bool:
    """Whether a node's scripts are those that its group names now."""
    there = node.must(f"sha256sum {SCRIPTS}/cluster.json").split()[0]
    return there == hashlib.sha256(_object(context, _locations(context)[node.group])).hexdigest()
