"""An artefact in the bucket differs from the lock file: nothing of it is installed.

The object has been replaced or uploaded incompletely, and a compute node is replaced. The node
program must stop at the step that downloads it, with a message that names the file, the problem
and the remedy; the message of the node in the API must show it. With the correct object in the
bucket, a further replacement starts.

If the spec has no artefacts, stubs of Enroot and Pyxis are deployed, as in `container-job`.
"""

from __future__ import annotations

from typing import Any

from clusterwright_rehearsal.scenario_api import containers, faults
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.jobs import submit_to_node
from clusterwright_rehearsal.scenario_api.node import Node

ORDER = 910
SECONDS = 30
NEEDS_COMPUTE = 2

PROMISES = {
    "refused": "a new node fails, and its message names step, file, both checksums and the remedy",
    "logged": "the node's log in CloudWatch ends with the same message",
    "nothing": "nothing of the file is on the node, and no later step has run",
    "others": "nodes that already have the file are not affected: they take jobs",
    "mended": "with the correct object in the bucket, the next node starts and takes jobs",
}

_STEP = "artefacts"


def run(context: ScenarioContext) -> None:
    containers.require_compiler(context)
    if not containers.are_downloaded(context):
        containers.deploy_stubs(context)
    node = context.compute[-1]
    row = containers.artefacts_of(context)[0]
    s3 = context.aws("s3")
    place = {"Bucket": row["bucket"], "Key": row["key"]}
    right = s3.get_object(**place)["Body"].read()
    try:
        s3.put_object(**place, Body=right[:-1] + bytes([right[-1] ^ 1]))
        _refused(context, node, row)
    finally:
        s3.put_object(**place, Body=right)

    with context.promise("mended"):
        now = node.instance_id
        context.replace(node)
        seconds = context.wait_running(node, but=now)
        context.note(f"Running after {seconds:.0f} s")
        context.wait_idle()
        submit_to_node(context, node).wait("COMPLETED", within_s=60)


def _refused(context: ScenarioContext, node: Node, row: dict[str, Any]) -> None:
    before = node.instance_id
    with context.promise("refused"):
        context.replace(node)
        message, instance = faults.wait_failure(context, node, before)
        for word in (
            f"step {_STEP} failed on {node.name}",
            f"s3://{row['bucket']}/{row['key']} is not the listed file",
            "it has SHA-256",
            f"expected {row['sha256']}",
            "What to do: find out who has changed the object",
        ):
            context.expect(word in message, f"the message has no {word!r}: {message}")

    with context.promise("logged"):
        context.expect(instance == node.instance_id, f"{node} is another instance already")
        lines = context.logs(node)
        context.expect(lines, "its log is empty")
        context.expect("is not the listed file" in lines[-1], f"its log ends with {lines[-1]!r}")

    with context.promise("nothing"):
        found = node.must(
            f"find / -xdev -name '{row['file']}*' ! -path '/proc/*' 2>/dev/null; true"
        )
        context.expect(not found.strip(), f"on the node: {found}")
        later = [line for line in lines if '"step": "container_programs"' in line]
        context.expect(not later, f"a later step has run: {later[:1]}")

    with context.promise("others"):
        other = next(each for each in context.compute if each.name != node.name)
        submit_to_node(context, other).wait("COMPLETED", within_s=60)
