"""An artefact in the bucket is not the listed file: nothing of it is installed.

Somebody replaces the object (or an upload was cut short), and a compute node is replaced. Its
program must stop at the step that fetches, with a message that says which file, what is wrong
with it and what to do; the message of the node in the API must show it. Once the right object is
back, a further replacement comes up.

Where the spec asks for no artefacts, stand-ins of Enroot and Pyxis are deployed, as in
`container-job`.
"""

from __future__ import annotations

from typing import Any

from clusterwright_rehearsal.scenario_api import containers, faults
from clusterwright_rehearsal.scenario_api.context import Node, Stage
from clusterwright_rehearsal.scenario_api.jobs import on_node

ORDER = 910
NEEDS_COMPUTE = 2

PROMISES = {
    "refused": "a new node fails, and its message names step, file, both checksums and what to do",
    "logged": "the node's log in CloudWatch ends with the same words",
    "nothing": "nothing of the file is on the node, and no later step has run",
    "others": "nodes that have it already are not touched: they take jobs",
    "mended": "with the right object in the bucket again, the next node comes up and takes jobs",
}

_STEP = "artefacts"


def play(stage: Stage) -> None:
    containers.need_compiler(stage)
    if not containers.are_fetched(stage):
        containers.deploy_stand_ins(stage)
    node = stage.compute[-1]
    row = containers.artefacts_of(stage)[0]
    s3 = stage.aws("s3")
    place = {"Bucket": row["bucket"], "Key": row["key"]}
    right = s3.get_object(**place)["Body"].read()
    try:
        s3.put_object(**place, Body=right[:-1] + bytes([right[-1] ^ 1]))
        _refused(stage, node, row)
    finally:
        s3.put_object(**place, Body=right)

    with stage.promise("mended"):
        now = node.instance_id
        stage.replace(node)
        seconds = stage.wait_running(node, but=now)
        stage.note(f"Running after {seconds:.0f} s")
        stage.settle()
        on_node(stage, node).wait("COMPLETED", within_s=60)


def _refused(stage: Stage, node: Node, row: dict[str, Any]) -> None:
    before = node.instance_id
    with stage.promise("refused"):
        stage.replace(node)
        message, instance = faults.failure(stage, node, before)
        for word in (
            f"step {_STEP} failed on {node.name}",
            f"s3://{row['bucket']}/{row['key']} is not the listed file",
            "it has SHA-256",
            f"the list says {row['sha256']}",
            "What to do: find out who has changed the object",
        ):
            stage.expect(word in message, f"the message has no {word!r}: {message}")

    with stage.promise("logged"):
        stage.expect(instance == node.instance_id, f"{node} is another instance already")
        lines = stage.logs(node)
        stage.expect(lines, "its log is empty")
        stage.expect("is not the listed file" in lines[-1], f"its log ends with {lines[-1]!r}")

    with stage.promise("nothing"):
        found = node.must(
            f"find / -xdev -name '{row['file']}*' ! -path '/proc/*' 2>/dev/null; true"
        )
        stage.expect(not found.strip(), f"on the node: {found}")
        later = [line for line in lines if '"step": "container_programs"' in line]
        stage.expect(not later, f"a later step has run: {later[:1]}")

    with stage.promise("others"):
        other = next(each for each in stage.compute if each.name != node.name)
        on_node(stage, other).wait("COMPLETED", within_s=60)
