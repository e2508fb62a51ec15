"""A node boots while Lustre does not answer.

HyperPod's behaviour in this case is not known; here its agent retries the mount in the background
and runs the lifecycle script meanwhile. The step `lustre` of the node program waits for the mount
until its deadline of ten minutes, which this scenario reduces in the cluster.json of the bucket.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from clusterwright_rehearsal.scenario_api import faults, jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node

ORDER = 141
SECONDS = 35
MODES = ("managed",)

PROMISES = {
    "waits": "the step `lustre` waits for the file system, and the node starts when it answers",
    "fails": "at the deadline of the step the script ends with an error and the node fails",
    "says": "the last line names step, cause and remedy, and DescribeClusterNode shows that line",
    "logged": "the node's log in CloudWatch Logs ends with that line too",
    "others": "other nodes, which have mounted the file system, are not affected",
    "mended": "when the file system answers, a replacement starts and takes jobs",
}

_DEADLINE_S = 8


def run(context: ScenarioContext) -> None:
    if not context.cluster.storage.lustre:
        context.skip("the spec has no Lustre file system")
    path = context.cluster.storage.lustre[0].mount_path
    node = context.compute[-1]
    try:
        with context.promise("waits"):
            before = node.instance_id
            with faults.unreachable_file_systems(context):
                context.replace(node)
                context.wait_for(lambda: _in_step(context, node, before), within_s=180)
            seconds = context.wait_running(node, but=before)
            context.note(f"Running {seconds:.0f} s after the file system answered")

        with context.promise("fails"):
            before = node.instance_id
            with faults.unreachable_file_systems(context), _deadline(context, node.group):
                context.replace(node)
                message = _failure(context, node, before)
            seconds = _seconds_of_step(context, node)
            context.note(f"after {seconds:.0f} s in the step")
            context.expect(
                _DEADLINE_S <= seconds < 4 * _DEADLINE_S, f"the step ended after {seconds} s"
            )

        with context.promise("says"):
            last = message.partition("last line: ")[2]
            for words in ("step lustre", path, "What to do: ", "ports 988"):
                context.expect(words in last, f"{words!r} is not in {message!r}")
            context.note(last)

        with context.promise("logged"):
            lines = [line for line in context.logs(node) if line.startswith("clusterwright: ")]
            context.expect(lines and lines[-1] == last, f"the log ends with {lines[-1:]}")

        with context.promise("others"):
            states = {n.host: n.slurm_state() for n in context.compute if n.name != node.name}
            wrong = {host: state for host, state in states.items() if state != "idle"}
            context.expect(not wrong, f"{wrong}")

        with context.promise("mended"):
            before = node.instance_id
            context.replace(node)
            context.wait_running(node, but=before)
            context.wait_idle()
            jobs.expect_job(context, node)
    finally:
        if not node.is_up or context.facts(node.name)["phase"] == "failed":
            before = node.instance_id
            context.replace(node)
            context.wait_running(node, but=before)


@contextlib.contextmanager
def _deadline(context: ScenarioContext, group: str) -> Iterator[None]:
    """Nodes that fetch their scripts inside the block give the step `lustre` `_DEADLINE_S`."""
    cluster = context.aws("sagemaker").describe_cluster(ClusterName=context.cluster.environment)
    config = next(
        entry["LifeCycleConfig"]
        for entry in cluster["InstanceGroups"]
        if entry["InstanceGroupName"] == group
    )
    uri = urlsplit(config["SourceS3Uri"])
    place = {"Bucket": uri.netloc, "Key": f"{uri.path.strip('/')}/cluster.json"}
    s3 = context.aws("s3")
    text = s3.get_object(**place)["Body"].read()
    changed = json.loads(text)
    changed["node_steps"]["lustre"] = {"deadline_seconds": _DEADLINE_S}
    s3.put_object(**place, Body=json.dumps(changed).encode())
    try:
        yield
    finally:
        s3.put_object(**place, Body=text)


def _in_step(context: ScenarioContext, node: Node, but: str) -> str | None:
    """None once the step `lustre` of the new instance has started."""
    if context.facts(node.name)["instance_id"] == but:
        return f"{node} is still {but}"
    for event in _events(context, node):
        if event.get("step") == "lustre" and event.get("event") == "start":
            return None
    return f"the step lustre of {node} has not started"


def _failure(context: ScenarioContext, node: Node, but: str) -> str:
    """The node's message in the API, once its status is Failure."""
    found: list[str] = []

    def not_yet() -> str | None:
        instance = node.instance_id
        if instance == but:
            return f"{node} is still {but}"
        answer = context.aws("sagemaker").describe_cluster_node(
            ClusterName=context.cluster.environment, NodeId=instance
        )
        status = answer["NodeDetails"]["InstanceStatus"]
        if status["Status"] != "Failure":
            return f"{node} is {status['Status']}"
        found.append(status.get("Message", ""))
        return None

    context.wait_for(not_yet, within_s=180)
    return found[0]


def _seconds_of_step(context: ScenarioContext, node: Node) -> float:
    ends = [e for e in _events(context, node) if e.get("event") == "end" and e["step"] == "lustre"]
    context.expect(ends, "the step lustre has no end in the log")
    return float(ends[-1]["seconds"])


def _events(context: ScenarioContext, node: Node) -> list[dict[str, Any]]:
    """The events of the node program so far, from CloudWatch Logs."""
    found = []
    for line in context.logs(node):
        with contextlib.suppress(ValueError):
            value = json.loads(line)
            if isinstance(value, dict):
                found.append(value)
    return found
