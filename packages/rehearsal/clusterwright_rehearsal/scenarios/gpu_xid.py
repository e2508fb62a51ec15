"""NVIDIA's driver reports errors (Xid) in the kernel log.

13 is an error of an application and does not drain the node; 48 requires a reboot, 79 a new
instance.
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api import faults, jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node

ORDER = 121
SECONDS = 20
NEEDS_COMPUTE = 2
MODES = ("managed", "pcs")

PROMISES = {
    "application": "Xid 13 (illegal access by a program) leaves the node in service",
    "drained": "Xid 48 and Xid 79 drain their nodes, and the reasons name them",
    "rebooted": "after Xid 48 the node returns when it is rebooted",
    "replaced": "after Xid 79 the node returns when its instance is replaced",
}

# As published by users (github.com/NVIDIA/NVSentinel, issue 155;
# github.com/NVIDIA/gpu-operator, issue 1146).
_UNKNOWN = "pid='<unknown>', name=<unknown>"
_MESSAGES = {
    13: f"{_UNKNOWN}, Graphics SM Warp Exception on (GPC 1, TPC 3, SM 0): Out Of Range Address",
    48: f"{_UNKNOWN}, An uncorrectable double bit error (DBE) has been detected on GPU",
    79: f"{_UNKNOWN}, GPU has fallen off the bus.",
}


def run(context: ScenarioContext) -> None:
    faults.require_devices(context, "nvidia")
    first, second = context.compute[:2]
    before = second.instance_id
    try:
        with context.promise("application"):
            _log_xid(first, 13)
            faults.check_health(first)
            why = faults.drain_reason(context, first)
            context.expect(why is None, f"it is drained: {why}")
            jobs.expect_job(context, first)

        with context.promise("drained"):
            _log_xid(first, 48)
            faults.expect_drained(context, first, "xid: 48 on 0000:53:00", "(reboot)")
            _log_xid(second, 79)
            faults.expect_drained(context, second, "xid: 79 on 0000:53:00", "(replace)")

        context.replace(second)
        with context.promise("rebooted"):
            context.note(f"rebooted in {faults.reboot_and_wait(context, first):.0f} s")
            faults.expect_in_service(context, first)

        with context.promise("replaced"):
            context.wait_running(second, but=before)
            faults.expect_in_service(context, second)
    finally:
        faults.restore(context, first, second)


def _log_xid(node: Node, code: int) -> None:
    faults.kernel_message(node, f"NVRM: Xid (PCI:0000:53:00): {code}, {_MESSAGES[code]}")
