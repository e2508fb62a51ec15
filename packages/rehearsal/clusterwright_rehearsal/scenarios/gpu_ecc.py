"""A GPU counts uncorrectable memory errors."""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api import faults
from clusterwright_rehearsal.scenario_api.context import Stage

ORDER = 122
MODES = ("managed",)

PROMISES = {
    "drained": "uncorrectable errors since the driver started drain the node, with their number",
    "back": "once its instance is replaced, the place is back in the partition by itself",
}


def play(stage: Stage) -> None:
    faults.need_devices(stage, "nvidia")
    node = stage.compute[-1]
    before = node.instance_id
    try:
        with stage.promise("drained"):
            faults.put(node, "gpu-ecc", "0", lasting=True)
            faults.expect_drained(stage, node, "gpu: GPU 0", "4 uncorrected memory errors")

        with stage.promise("back"):
            stage.replace(node)
            seconds = stage.wait_running(node, but=before)
            stage.note(f"replaced in {seconds:.0f} s")
            faults.expect_in_use(stage, node)
            test = stage.submit("hostname", options=[f"--nodelist={node.host}"])
            test.wait("COMPLETED", within_s=60)
    finally:
        faults.make_whole(stage, node)
