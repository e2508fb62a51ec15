"""A GPU loses half of its PCIe lanes: it computes, and everything that goes to it is slow."""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api import faults
from clusterwright_rehearsal.scenario_api.context import Stage

ORDER = 123
MODES = ("managed",)

PROMISES = {
    "drained": "a GPU with fewer lanes than it has drains the node, and the reason says how many",
    "back": "after a reboot that brings the lanes back the node is in the partition by itself",
}


def play(stage: Stage) -> None:
    faults.need_devices(stage, "nvidia")
    node = stage.compute[-1]
    before = node.instance_id
    try:
        with stage.promise("drained"):
            faults.put(node, "gpu-pcie", "0")
            faults.expect_drained(stage, node, "pcie: GPU 0", "8 of 16 lanes")

        with stage.promise("back"):
            stage.note(f"rebooted in {faults.rebooted(stage, node):.0f} s")
            stage.expect(node.instance_id == before, "it is another instance")
            faults.expect_in_use(stage, node)
            test = stage.submit("hostname", options=[f"--nodelist={node.host}"])
            test.wait("COMPLETED", within_s=60)
    finally:
        faults.make_whole(stage, node)
