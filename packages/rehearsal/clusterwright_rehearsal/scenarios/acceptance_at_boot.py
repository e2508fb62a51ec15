"""On ParallelCluster and PCS slurmd starts only on an accepted node; a bad instance is replaced.

With `acceptance.hold` each node tests itself before slurmd starts, and reports the result as its
comment in Slurm, which the controller publishes, on PCS the first login node.
"""

from __future__ import annotations

import json
from typing import Any

from clusterwright_rehearsal.platforms.parallelcluster.context import ParallelClusterContext
from clusterwright_rehearsal.platforms.pcs.context import PcsContext
from clusterwright_rehearsal.scenario_api import faults, operator
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.job import Job
from clusterwright_rehearsal.scenario_api.node import Node

# Before instances are rebooted and replaced: slurmd says then that the node has booted when slurmd
# started, which is after the test, and a node that booted after its test is new.
ORDER = 30
SECONDS = 100
MODES = ("parallelcluster", "pcs")

PROMISES = {
    "first": "each node was accepted before its slurmd started, and the published state says so",
    "each-boot": "after a reboot slurmd starts only when the test has passed",
    "rejected": "what the platform has of a bad instance names check and reason; it takes no job",
    "replaced": "the next instance takes the waiting job only after it is accepted",
}

_UNIT = "clusterwright-acceptance.service"
_FAULT = "mkdir -p /run/emulation/faults && echo 1 >/run/emulation/faults/cpu-offline"


def run(context: ScenarioContext) -> None:
    assert isinstance(context, (ParallelClusterContext, PcsContext))
    if not context.cluster.acceptance.hold:
        context.skip("acceptance.hold is false")
    node = context.compute[-1]
    with context.promise("first"):
        for each in context.compute:
            tested, slurmd = _since(each, _UNIT), _since(each, "slurmd.service")
            context.expect(tested <= slurmd, f"{each}: tested {tested}, slurmd since {slurmd}")
        context.wait_for(lambda: _not_published(context, context.compute), within_s=90)

    with context.promise("each-boot"):
        if isinstance(context, PcsContext):
            _reboot(context, node)
        else:
            _start_slurmd_with_a_fault(context, node)

    instance, job = _replace_by_a_bad_one(context, node)
    with context.promise("rejected"):
        context.wait_for(
            lambda: None if context.failure_of(instance) else f"no failure of {instance} yet",
            within_s=240,
        )
        text = _said_of_failure(context, node, instance)
        for word in ("step acceptance_at_boot failed", "the node is rejected: cpus: "):
            context.expect(word in text, f"{word!r} is not in: {text[-600:]}")
        states = [line["event"] for line in context.timeline() if line["instance_id"] == instance]
        context.expect("running" not in states, f"{instance} was {states}")
        if isinstance(context, ParallelClusterContext):
            context.wait_for(lambda: _not_kept(context, node, instance, "rejected"), within_s=60)

    with context.promise("replaced"):
        context.wait_running_past(node, failed=instance)
        context.wait_for(lambda: _not_started(job), within_s=120)
        fresh = context.node(node.name)
        context.wait_for(
            lambda: _not_kept(context, node, fresh.instance_id, "accepted"), within_s=60
        )
        tested_at = str(_record(context, node)["tested_at"])
        started = context.slurm(f"date --utc --date={job.show()['StartTime']} +%FT%TZ").strip()
        context.expect(tested_at <= started, f"started {started}, tested {tested_at}")
        context.note(f"tested {tested_at}, its first job started {started}")
        job.cancel()
        context.wait_idle()


def _reboot(context: PcsContext, node: Node) -> None:
    """PCS runs the lifecycle action, and with it the test, in each boot."""
    before = str(_record(context, node)["tested_at"])
    context.reboot(node)

    def not_tested() -> str | None:
        at = str(_record(context, node)["tested_at"])
        return None if at > before else f"{node} was tested {at}"

    context.wait_for(not_tested, within_s=120)
    tested, slurmd = _since(node, _UNIT), _since(node, "slurmd.service")
    context.expect(0 < tested <= slurmd, f"tested {tested}, slurmd since {slurmd}")
    context.wait_idle()


def _said_of_failure(
    context: ParallelClusterContext | PcsContext, node: Node, instance: str
) -> str:
    """PCS has a failed action's output in a file of the instance."""
    lines = context.logs_of(node.name, instance) if isinstance(context, PcsContext) else []
    return "\n".join([context.failure_of(instance), *lines])


def _start_slurmd_with_a_fault(context: ScenarioContext, node: Node) -> None:
    """At once, without the repetitions: a node without slurmd for long is replaced."""
    drop_in = f"/run/systemd/system/{_UNIT}.d"
    command = node.must(f"systemctl cat {_UNIT}").partition("\nExecStart=")[2].splitlines()[0]
    lines = f"[Service]\\nExecStart=\\nExecStart={command} --again-seconds=0\\n"
    node.must(f"mkdir -p {drop_in} && printf '{lines}' >{drop_in}/now.conf")
    try:
        # A reboot stops both units.
        node.must(f"{_FAULT} && systemctl daemon-reload && systemctl stop slurmd {_UNIT}")
        ran = node.run("systemctl start slurmd")
        said = node.run(f"journalctl --unit {_UNIT} --lines=8 --output=cat").stdout
        context.expect(not ran.ok, "slurmd has started")
        context.expect("rejected: cpus: " in said, said)
        context.expect(not node.run("systemctl is-active slurmd").ok, "slurmd is active")
    finally:
        faults.remove(node)
        node.run(f"rm -r {drop_in}; systemctl daemon-reload")
    node.must("systemctl start slurmd")
    context.wait_idle()


def _replace_by_a_bad_one(
    context: ParallelClusterContext | PcsContext, node: Node
) -> tuple[str, Job]:
    """The id of the next instance, which has a fault, and a job that waits for the node."""
    before = node.instance_id
    context.hold_scripts(True)
    try:
        context.crash(node)
        instance = context.wait_held(node, but=before)
        failing = context.node(node.name)
        failing.must(_FAULT)
        job = context.submit("sleep 60", options=[f"--nodelist={node.host}"])
    finally:
        context.hold_scripts(False)
    return instance, job


def _since(node: Node, unit: str) -> int:
    """When a unit became active, in microseconds of the machine's clock."""
    shown = node.must(f"systemctl show {unit} --property=ActiveEnterTimestampMonotonic --value")
    return int(shown.strip())


def _not_published(context: ScenarioContext, nodes: list[Node]) -> str | None:
    state = operator.read_object(context, "state/scheduler.json") or {}
    found = state.get("acceptance") or {}
    states = {node.host: (found.get(node.host) or {}).get("state") for node in nodes}
    return None if set(states.values()) == {"accepted"} else f"published: {states}"


def _record(context: ScenarioContext, node: Node) -> dict[str, Any]:
    shown = context.controller.run(f"cat {operator.FOLDER}/nodes/{node.host}.json")
    found: dict[str, Any] = json.loads(shown.stdout) if shown.ok else {}
    return found


def _not_kept(context: ScenarioContext, node: Node, instance: str, state: str) -> str | None:
    """None if the controller has the result of this instance, now or in the node's history."""
    rows = _record(context, node).get("history", [])
    verdicts = [row["verdict"] for row in rows if row["instance_id"] == instance]
    return None if state in verdicts else f"{instance}: {verdicts}"


def _not_started(job: Job) -> str | None:
    return None if job.state == "RUNNING" else f"job {job.id} is {job.state}"
