"""The port of an EFA interface becomes inactive, and later active again."""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api import faults, jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext

ORDER = 130
SECONDS = 5
MODES = ("managed",)

PROMISES = {
    "drained": "an inactive port drains the node, and the reason names the interface",
    "kept-out": "one passed check is not enough, because the port may be unstable",
    "resumed": "two passed checks in a row resume the node",
}

_CLASS = "/sys/class/infiniband"
# As Linux prints a port's state (drivers/infiniband/core/sysfs.c, state_show).
_DOWN, _ACTIVE = "1: DOWN", "4: ACTIVE"


def run(context: ScenarioContext) -> None:
    node = next((n for n in context.compute if faults.expected_hardware(n)["efa_count"]), None)
    if node is None:
        context.skip("no compute node has EFA")
    device = node.must(f"ls {_CLASS}").split()[0]
    port = f"{_CLASS}/{device}/ports/1/state"
    try:
        with context.promise("drained"):
            node.must(f"echo '{_DOWN}' >{port}")
            faults.expect_drained(context, node, f"efa: {device}", "not active")

        with faults.health_timer_stopped(node):
            with context.promise("kept-out"):
                node.must(f"echo '{_ACTIVE}' >{port}")
                faults.check_health(node)
                context.expect(
                    faults.drain_reason(context, node), "it is in service after one passed check"
                )

            with context.promise("resumed"):
                faults.check_health(node)
                context.expect(
                    faults.drain_reason(context, node) is None, f"it is {node.slurm_state()}"
                )
                jobs.expect_job(context, node)
    finally:
        node.must(f"echo '{_ACTIVE}' >{port}")
        faults.restore(context, node)
