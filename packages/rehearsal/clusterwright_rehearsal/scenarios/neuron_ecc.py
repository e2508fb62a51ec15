"""A Neuron device counts an uncorrected memory error."""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api import faults
from clusterwright_rehearsal.scenario_api.context import Stage

ORDER = 126
MODES = ("managed",)

PROMISES = {
    "drained": "the error drains the node, and the reason names the device and the counter",
    "back": "once its instance is replaced, the place is back in the partition by itself",
}

_COUNTERS = "/sys/devices/virtual/neuron_device/neuron1/stats/hardware"


def play(stage: Stage) -> None:
    faults.need_devices(stage, "neuron")
    node = stage.compute[-1]
    before = node.instance_id
    try:
        with stage.promise("drained"):
            node.must(f"echo 1 >{_COUNTERS}/mem_ecc_uncorrected")
            faults.expect_drained(stage, node, "neuron: neuron1: mem_ecc_uncorrected is 1")

        with stage.promise("back"):
            stage.replace(node)
            seconds = stage.wait_running(node, but=before)
            stage.note(f"replaced in {seconds:.0f} s")
            faults.expect_in_use(stage, node)
            test = stage.submit("hostname", options=[f"--nodelist={node.host}"])
            test.wait("COMPLETED", within_s=60)
    finally:
        faults.make_whole(stage, node)
