"""A node boots while Lustre does not answer.

What HyperPod does then is not known; here its agent goes on trying to mount in the background, and
runs the lifecycle script meanwhile. The node program's step `lustre` waits for the mount until its
deadline of ten minutes, which this scenario makes short in the cluster.json of the bucket.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from clusterwright_rehearsal.scenario_api import faults
from clusterwright_rehearsal.scenario_api.context import Node, Stage

ORDER = 141
MODES = ("managed",)

PROMISES = {
    "waits": "the step `lustre` waits for the file system, and the node comes up when it answers",
    "fails": "when the step's deadline is over, the script ends with an error and the node fails",
    "says": "the last line names step, cause and remedy, and DescribeClusterNode shows that line",
    "logged": "the node's log in CloudWatch Logs ends with it, too",
    "others": "the other nodes, which have the file system mounted, are not disturbed",
    "mended": "once the file system answers, a replacement comes up and takes jobs",
}

_DEADLINE_S = 8


def play(stage: Stage) -> None:
    if not stage.cluster.storage.lustre:
        stage.not_for_this("the spec has no Lustre file system")
    path = stage.cluster.storage.lustre[0].mount_path
    node = stage.compute[-1]
    try:
        with stage.promise("waits"):
            before = node.instance_id
            with faults.unreachable_file_systems(stage):
                stage.replace(node)
                stage.wait_for(lambda: _in_step(stage, node, before), within_s=180)
            seconds = stage.wait_running(node, but=before)
            stage.note(f"Running {seconds:.0f} s after it answered")

        with stage.promise("fails"):
            before = node.instance_id
            with faults.unreachable_file_systems(stage), _deadline(stage, node.group):
                stage.replace(node)
                message = _failure(stage, node, before)
            seconds = _seconds_of_step(stage, node)
            stage.note(f"after {seconds:.0f} s in the step")
            stage.expect(
                _DEADLINE_S <= seconds < 4 * _DEADLINE_S, f"it took {seconds} s to its deadline"
            )

        with stage.promise("says"):
            last = message.partition("last line: ")[2]
            for words in ("step lustre", path, "What to do: ", "ports 988"):
                stage.expect(words in last, f"{words!r} is not in {message!r}")
            stage.note(last)

        with stage.promise("logged"):
            lines = [line for line in stage.logs(node) if line.startswith("clusterwright: ")]
            stage.expect(lines and lines[-1] == last, f"the log ends with {lines[-1:]}")

        with stage.promise("others"):
            states = {n.host: n.slurm_state() for n in stage.compute if n.name != node.name}
            wrong = {host: state for host, state in states.items() if state != "idle"}
            stage.expect(not wrong, f"{wrong}")

        with stage.promise("mended"):
            before = node.instance_id
            stage.replace(node)
            stage.wait_running(node, but=before)
            stage.settle()
            test = stage.submit("hostname", options=[f"--nodelist={node.host}"])
            test.wait("COMPLETED", within_s=60)
    finally:
        if not node.is_up or stage.facts(node.name)["phase"] == "failed":
            before = node.instance_id
            stage.replace(node)
            stage.wait_running(node, but=before)


@contextlib.contextmanager
def _deadline(stage: Stage, group: str) -> Iterator[None]:
    """Nodes that fetch their scripts inside the block give the step `lustre` `_DEADLINE_S`."""
    cluster = stage.aws("sagemaker").describe_cluster(ClusterName=stage.cluster.environment)
    config = next(
        entry["LifeCycleConfig"]
        for entry in cluster["InstanceGroups"]
        if entry["InstanceGroupName"] == group
    )
    uri = urlsplit(config["SourceS3Uri"])
    place = {"Bucket": uri.netloc, "Key": f"{uri.path.strip('/')}/cluster.json"}
    s3 = stage.aws("s3")
    text = s3.get_object(**place)["Body"].read()
    changed = json.loads(text)
    changed["node_steps"]["lustre"] = {"deadline_seconds": _DEADLINE_S}
    s3.put_object(**place, Body=json.dumps(changed).encode())
    try:
        yield
    finally:
        s3.put_object(**place, Body=text)


def _in_step(stage: Stage, node: Node, but: str) -> str | None:
    """Until the new instance's step `lustre` has begun and says that it waits."""
    if stage.facts(node.name)["instance_id"] == but:
        return f"{node} is still {but}"
    for event in _events(stage, node):
        if event.get("step") == "lustre" and event.get("event") == "start":
            return None
    return f"the step lustre of {node} has not begun"


def _failure(stage: Stage, node: Node, but: str) -> str:
    """The node's message in the API, once its status is Failure."""
    found: list[str] = []

    def not_yet() -> str | None:
        instance = node.instance_id
        if instance == but:
            return f"{node} is still {but}"
        answer = stage.aws("sagemaker").describe_cluster_node(
            ClusterName=stage.cluster.environment, NodeId=instance
        )
        status = answer["NodeDetails"]["InstanceStatus"]
        if status["Status"] != "Failure":
            return f"{node} is {status['Status']}"
        found.append(status.get("Message", ""))
        return None

    stage.wait_for(not_yet, within_s=180)
    return found[0]


def _seconds_of_step(stage: Stage, node: Node) -> float:
    ends = [e for e in _events(stage, node) if e.get("event") == "end" and e["step"] == "lustre"]
    stage.expect(ends, "the step lustre has no end in the log")
    return float(ends[-1]["seconds"])


def _events(stage: Stage, node: Node) -> list[dict[str, Any]]:
    """What the node program has said so far, from CloudWatch Logs."""
    found = []
    for line in stage.logs(node):
        with contextlib.suppress(ValueError):
            value = json.loads(line)
            if isinstance(value, dict):
                found.append(value)
    return found
