"""Our custom action fails on a new compute node of ParallelCluster.

A folder exists at the path of a file that a step has to write. ParallelCluster records the
failure, terminates the instance and launches another one, which starts without errors.
"""

from __future__ import annotations

import json

from clusterwright_rehearsal.platforms.parallelcluster.context import ParallelClusterContext
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 50
MODES = ("parallelcluster",)
_BLOCKED_PATH = "/etc/motd.d/50-clusterwright"

PROMISES = {
    "says-why": "the event of ParallelCluster names the step, the cause and the log",
    "takes-no-job": "a node with a failed step never becomes available for jobs",
    "again": "another instance is launched and starts",
}


def run(context: ScenarioContext) -> None:
    assert isinstance(context, ParallelClusterContext)
    node = context.compute[-1]
    before = node.instance_id
    context.hold_scripts(True)
    try:
        context.crash(node)
        instance = context.wait_held(node, but=before)
        context.node(node.name).must(f"mkdir -p {_BLOCKED_PATH}/folder")
    finally:
        context.hold_scripts(False)

    with context.promise("says-why"):
        context.wait_for(
            lambda: None if context.bootstrap_error(instance) else f"no event of {instance} yet",
            within_s=120,
        )
        event = context.bootstrap_error(instance)
        event_text = json.dumps(event)
        context.expect(
            "return code: 1" in event["message"], f"the event says {event['message']!r}"
        )
        for word in ("step motd failed", node.host, "IsADirectoryError", "node.jsonl"):
            context.expect(
                word in event_text, f"{word!r} is not in the event: {event_text[-600:]}"
            )
        context.note(event["detail"]["error"]["stderr"].strip())

    with context.promise("takes-no-job"):
        states = [line["event"] for line in context.timeline() if line["instance_id"] == instance]
        context.expect("running" not in states, f"{instance} was {states}")
        context.expect("failed" in states, f"{instance} was {states}")

    with context.promise("again"):
        context.wait_running_past(node, failed=instance)
        context.wait_idle()
