"""Our custom action fails on a new compute node of ParallelCluster.

A folder lies where a step has to write a file. ParallelCluster notes the failure, ends the
instance and launches another one, on which nothing is wrong.
"""

from __future__ import annotations

import json

from clusterwright_rehearsal.platforms.parallelcluster.context import ParallelClusterContext
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 50
MODES = ("parallelcluster",)
_IN_THE_WAY = "/etc/motd.d/50-clusterwright"

PROMISES = {
    "says-why": "the event that ParallelCluster leaves names the step, the cause and the log",
    "takes-no-job": "the node never comes up for jobs with a failed step",
    "again": "another instance is launched in its place, and comes up",
}


def run(context: ScenarioContext) -> None:
    assert isinstance(context, ParallelClusterContext)
    node = context.compute[-1]
    before = node.instance_id
    context.hold_scripts(True)
    try:
        context.crash(node)

        def not_held() -> str | None:
            facts = context.facts(node.name)
            held = facts["instance_id"] != before and facts["phase"] == "held"
            return None if held else f"{node} is {facts['phase']}"

        context.wait_for(not_held, within_s=120)
        failing = context.node(node.name)
        instance = failing.instance_id
        failing.must(f"mkdir -p {_IN_THE_WAY}/folder")
    finally:
        context.hold_scripts(False)

    with context.promise("says-why"):
        context.wait_for(
            lambda: None if context.bootstrap_error(instance) else f"no event of {instance} yet",
            within_s=120,
        )
        event = context.bootstrap_error(instance)
        told = json.dumps(event)
        context.expect(
            "return code: 1" in event["message"], f"the event says {event['message']!r}"
        )
        for word in ("step motd failed", node.host, "IsADirectoryError", "node.jsonl"):
            context.expect(word in told, f"{word!r} is not in the event: {told[-600:]}")
        context.note(event["detail"]["error"]["stderr"].strip())

    with context.promise("takes-no-job"):
        states = [line["event"] for line in context.timeline() if line["instance_id"] == instance]
        context.expect("running" not in states, f"{instance} was {states}")
        context.expect("failed" in states, f"{instance} was {states}")

    with context.promise("again"):
        context.wait_running_past(node, failed=instance)
        context.wait_idle()
