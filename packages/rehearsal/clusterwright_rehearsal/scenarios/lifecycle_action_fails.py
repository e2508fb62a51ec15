"""Our lifecycle action fails on a new node of AWS PCS, whose image has no Slurm.

An own image without the Slurm of PCS is among the failures that users report. With `TERMINATE` the
instance never joins, PCS launches another one, and the log names the step.
"""

from __future__ import annotations

from clusterwright_rehearsal.platforms.pcs.context import PcsContext
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 50
SECONDS = 20
MODES = ("pcs",)

PROMISES = {
    "says-why": "the log of the action names the step, the cause and what to do",
    "takes-no-job": "the instance never joins Slurm",
    "again": "another instance is launched and takes jobs",
}


def run(context: ScenarioContext) -> None:
    assert isinstance(context, PcsContext)
    node = context.compute[-1]
    before = node.instance_id
    context.hold_scripts(True)
    try:
        context.crash(node)
        instance = context.wait_held(node, but=before)
        context.node(node.name).must("rm -rf /opt/aws/pcs/scheduler /opt/slurm")
    finally:
        context.hold_scripts(False)

    with context.promise("says-why"):
        context.wait_for(lambda: _not_failed(context, instance), within_s=120)
        lines = context.logs_of(node.name, instance)
        for words in ("step slurm_programs failed", "has no Slurm in", "What to do"):
            context.expect(
                any(words in line for line in lines), f"{words!r} is not in {lines[-1:]}"
            )
        context.note(context.failure_of(instance))

    with context.promise("takes-no-job"):
        states = [line["event"] for line in context.timeline() if line["instance_id"] == instance]
        context.expect("running" not in states, f"{instance} was {states}")

    with context.promise("again"):
        context.wait_running_past(node, failed=instance)
        context.wait_idle()


def _not_failed(context: PcsContext, instance: str) -> str | None:
    return None if context.failure_of(instance) else f"{instance} has not failed yet"
