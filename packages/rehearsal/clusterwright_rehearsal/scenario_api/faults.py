"""Breaks what a node's emulated hardware shows, lets the node look at itself, reads the result.

For scenarios. Between two looks of the node's own timer lie minutes, so a rehearsal starts what
the timer starts.
"""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from clusterwright_rehearsal.scenario_api.context import Broken, Node, Stage

LOOK = "clusterwright-health.service"
TIMER = "clusterwright-health.timer"
_EXPECTED = "/etc/clusterwright/health.json"
_FAULTS = "/run/emulation/faults"
_LASTING = "/etc/emulation/faults"
_KERNEL_LOG = "/run/emulation/kernel.log"
_SILENCE = "emulated-silence.service"
_LOOKS = 4
"""Two clean looks in a row bring a node back; two more for what starts slowly after a boot."""


def put(node: Node, fault: str, text: str = "", *, lasting: bool = False) -> None:
    """Put a fault of `image/root/usr/lib/emulation` into a node.

    A reboot ends it; one that is `lasting` is ended by another instance only.
    """
    folder = _LASTING if lasting else _FAULTS
    node.must(f"mkdir -p {folder}")
    node.write(f"{folder}/{fault}", text + "\n")


def mend(node: Node, *faults: str) -> None:
    """Take faults out of a node, lasting ones too; without names, all."""
    for folder in (_FAULTS, _LASTING):
        names = " ".join(f"{folder}/{fault}" for fault in faults) or f"{folder}/*"
        node.must(f"rm -f {names}")
    if not faults:
        node.must(f"rm -f {_KERNEL_LOG}")


def kernel_message(node: Node, text: str) -> None:
    """Let the node's kernel say something (`dmesg`), until it is rebooted."""
    node.must(f"echo \"$(cut -d' ' -f1 /proc/uptime) $(cat)\" >>{_KERNEL_LOG}", stdin=text)


def make_whole(stage: Stage, *nodes: Node) -> None:
    """Whatever a scenario did to nodes, and wherever it ended: they are in use again."""
    for node in nodes:
        stage.wait_running(node)
        mend(node)
        expect_in_use(stage, node)


@contextlib.contextmanager
def silent(nodes: Sequence[Node], folder: str) -> Iterator[None]:
    """The file system at `folder` does not answer on these nodes inside the `with` block."""
    try:
        with ThreadPoolExecutor(len(nodes)) as pool:
            list(pool.map(lambda node: _fall_silent(node, folder), nodes))
        yield
    finally:
        for node in nodes:
            with contextlib.suppress(Broken):  # it is gone, and its silence with it
                node.must(f"systemctl stop {_SILENCE}; systemctl reset-failed {_SILENCE} || true")


@contextlib.contextmanager
def unreachable_file_systems(stage: Stage) -> Iterator[None]:
    """Every Lustre file system refuses to be mounted inside the `with` block; mounts stay."""
    each = "for f in /srv/emulation/lustre/*/; do"
    stage.controller.must(f'{each} touch "${{f%/}}.down"; done')
    try:
        yield
    finally:
        stage.controller.must("rm -f /srv/emulation/lustre/*.down")


@contextlib.contextmanager
def no_looks_of_its_own(node: Node) -> Iterator[None]:
    """The node looks only when it is told to inside the `with` block: its timer is stopped."""
    node.must(f"systemctl stop {TIMER}")
    try:
        yield
    finally:
        node.must(f"systemctl start {TIMER}")


def look(*nodes: Node) -> None:
    """Let nodes look at their health, as their timers do."""
    with ThreadPoolExecutor(len(nodes)) as pool:
        list(pool.map(lambda n: n.must(f"systemctl start {LOOK}", timeout_s=150.0), nodes))


def expectation(node: Node) -> dict[str, Any]:
    """What the node program wrote down that a healthy node has: `accelerator_count`, ..."""
    found: dict[str, Any] = json.loads(node.must(f"cat {_EXPECTED}"))
    return found


def need_devices(stage: Stage, kind: str) -> None:
    """Leave the scenario unless every compute node has accelerators of a kind."""
    without = [node.host for node in stage.compute if expectation(node)["accelerator"] != kind]
    if without:
        stage.not_for_this(f"it is for {kind} devices; without them: {', '.join(without)}")


def reason(stage: Stage, node: Node) -> str | None:
    """Why Slurm does not use the node; None where it does."""
    shown = stage.slurm(f"scontrol --oneliner show node {node.host}")
    state = re.search(r"\bState=(\S+)", shown)
    if state is None or "DRAIN" not in state.group(1):
        return None
    text = re.search(r"\bReason=(.*?) \[[^\]]*\]", shown)
    return text.group(1) if text else ""


def expect_drained(stage: Stage, node: Node, *words: str) -> None:
    """One look drains the node, and Slurm's reason has these words. Notes the reason."""
    look(node)
    found = reason(stage, node)
    stage.expect(found is not None, f"{node} is {node.slurm_state()} after a look")
    missing = [word for word in words if word not in (found or "")]
    stage.expect(not missing, f"{node} is drained for {found!r}, which lacks {missing}")
    stage.note(f"{node.host}: {found}")


def expect_in_use(stage: Stage, node: Node) -> None:
    """Looks bring the node back by themselves; two clean ones in a row are needed."""
    looks = 0
    while reason(stage, node) is not None:
        if looks == _LOOKS:
            raise Broken(f"{node} is still drained after {looks} looks: {reason(stage, node)}")
        look(node)
        looks += 1
    stage.note(f"{node.host}: back after {looks} looks")


def failure(stage: Stage, node: Node, before: str) -> tuple[str, str]:
    """Until the instance after `before` has failed; its message in the API, and its id."""
    found: list[str] = []

    def not_yet() -> str | None:
        status = stage.api_nodes().get(node.name, {}).get("InstanceStatus", {})
        if node.instance_id != before and status.get("Status") == "Failure":
            found.append(status.get("Message", ""))
            return None
        return f"{node} is {status}"

    seconds = stage.wait_for(not_yet, within_s=400)
    stage.note(f"failed after {seconds:.0f} s")
    return found[0], node.instance_id


def rebooted(stage: Stage, node: Node, *, within_s: float = 120.0) -> float:
    """BatchRebootClusterNodes, until the node has started anew; returns the seconds.

    All machines share one kernel here, and so its boot id: a start of systemd is a reboot.
    """
    started = time.monotonic()
    before = _start_of(node)
    stage.reboot(node)

    def not_yet() -> str | None:
        try:
            now = _start_of(node)
        except Broken:  # between the two
            return f"{node} is down"
        return f"{node} has not rebooted" if now == before else None

    stage.wait_for(not_yet, within_s=within_s)
    stage.wait_running(node)
    return time.monotonic() - started


def _start_of(node: Node) -> str:
    # What is asked of a machine that is shutting down may never be answered.
    return node.must("systemctl show --property=UserspaceTimestampMonotonic", timeout_s=5.0)


def _fall_silent(node: Node, folder: str) -> None:
    node.must(
        f"systemctl reset-failed {_SILENCE} 2>/dev/null;"
        f" systemd-run --quiet --collect --unit={_SILENCE} /usr/lib/emulation/silence.py {folder};"
        " for _ in $(seq 100); do grep -q emulated/silent /proc/self/mounts && exit 0; sleep 0.05;"
        " done; exit 1"
    )
