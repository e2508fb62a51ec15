"""Our custom action fails on a new compute node of ParallelCluster.

A folder lies where a step has to write a file. ParallelCluster notes the failure, ends the
instance and launches another one, on which nothing is wrong.
"""

from __future__ import annotations

import json

from clusterwright_rehearsal.platforms.parallelcluster.context import PclusterStage
from clusterwright_rehearsal.scenario_api.context import Stage

ORDER = 50
MODES = ("parallelcluster",)
_IN_THE_WAY = "/etc/motd.d/50-clusterwright"

PROMISES = {
    "says-why": "the event that ParallelCluster leaves names the step, the cause and the log",
    "takes-no-job": "the node never comes up for jobs with a failed step",
    "again": "another instance is launched in its place, and comes up",
}


def play(stage: Stage) -> None:
    assert isinstance(stage, PclusterStage)
    node = stage.compute[-1]
    before = node.instance_id
    stage.hold_scripts(True)
    try:
        stage.crash(node)

        def not_held() -> str | None:
            facts = stage.facts(node.name)
            held = facts["instance_id"] != before and facts["phase"] == "held"
            return None if held else f"{node} is {facts['phase']}"

        stage.wait_for(not_held, within_s=120)
        failing = stage.node(node.name)
        instance = failing.instance_id
        failing.must(f"mkdir -p {_IN_THE_WAY}/folder")
    finally:
        stage.hold_scripts(False)

    with stage.promise("says-why"):
        stage.wait_for(
            lambda: None if stage.bootstrap_error(instance) else f"no event of {instance} yet",
            within_s=120,
        )
        event = stage.bootstrap_error(instance)
        told = json.dumps(event)
        stage.expect("return code: 1" in event["message"], f"the event says {event['message']!r}")
        for word in ("step motd failed", node.host, "IsADirectoryError", "node.jsonl"):
            stage.expect(word in told, f"{word!r} is not in the event: {told[-600:]}")
        stage.note(event["detail"]["error"]["stderr"].strip())

    with stage.promise("takes-no-job"):
        states = [line["event"] for line in stage.timeline() if line["instance_id"] == instance]
        stage.expect("running" not in states, f"{instance} was {states}")
        stage.expect("failed" in states, f"{instance} was {states}")

    with stage.promise("again"):
        stage.wait_running_past(node, failed=instance)
        stage.settle()
