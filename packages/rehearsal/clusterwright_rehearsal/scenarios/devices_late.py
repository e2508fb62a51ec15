"""The device files of the GPUs appear only after slurmd has started.

A driver that loads slowly, or that is rebuilt after an update of the kernel, creates its device
files late. slurmd then ends at once: gres.conf names files that do not exist. Nobody is there to
start it again.
"""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api import faults, jobs
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node

ORDER = 112
SECONDS = 10
MODES = ("scripted",)  # in the managed configuration HyperPod starts slurmd

PROMISES = {
    "fails": "without the device files slurmd ends and says which one is missing",
    "recovers": "when they appear, slurmd starts by itself and the node returns to its partition",
    "jobs": "a job gets every GPU of the node",
}

_HIDDEN = "/dev/late"
# Renaming keeps the numbers and modes of the device files.
_HIDE = f"mkdir {_HIDDEN} && mv /dev/nvidia[0-9]* {_HIDDEN}/"
_SHOW = f"test ! -d {_HIDDEN} || {{ mv {_HIDDEN}/* /dev/ && rmdir {_HIDDEN}; }}"


def run(context: ScenarioContext) -> None:
    faults.require_devices(context, "nvidia")
    node = context.compute[-1]
    try:
        with context.promise("fails"):
            node.must(f"systemctl stop slurmd && {_HIDE} && systemctl start --no-block slurmd")
            seconds = context.wait_for(lambda: _not_ended(node), within_s=60)
            context.note(f"after {seconds:.0f} s")

        with context.promise("recovers"):
            node.must(_SHOW)
            seconds = context.wait_for(lambda: _not_idle(node), within_s=90)
            context.note(f"{node.host}: idle after {seconds:.0f} s")

        with context.promise("jobs"):
            count = faults.expected_hardware(node)["accelerator_count"]
            options = [*jobs.options_for(context, node), f"--gres=gpu:{count}"]
            job = context.submit("srun hostname", options=options)
            job.wait("COMPLETED", within_s=60)
            context.note(f"with {count} GPUs")
    finally:
        node.must(_SHOW)
        # Does nothing if it runs, and starts it at once if it waits for its next attempt.
        node.must("systemctl start slurmd")


def _not_ended(node: Node) -> str | None:
    """None once slurmd has ended because of a missing device file."""
    said = node.must("journalctl --unit=slurmd --since=-60s --output=cat --no-pager || true")
    said += node.must("tail --lines=40 /var/log/slurm/slurmd.log 2>/dev/null || true")
    if "/dev/nvidia" in said and not node.run("systemctl is-active slurmd").ok:
        return None
    return f"slurmd of {node} is {node.run('systemctl is-active slurmd').stdout.strip()}"


def _not_idle(node: Node) -> str | None:
    state = node.slurm_state()
    return None if state == "idle" else f"{node.host} is {state}"
