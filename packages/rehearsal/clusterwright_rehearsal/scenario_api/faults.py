"""Faults of the emulated hardware, health checks of nodes, and their results in Slurm.

A node runs a health check only every few minutes, by a timer or by slurmd, so scenarios run it
themselves.
"""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.outcomes import Broken

HEALTH_SERVICE = "clusterwright-health.service"
HEALTH_TIMER = "clusterwright-health.timer"
_EXPECTED = "/etc/clusterwright/health.json"
_FAULTS = "/run/emulation/faults"
_LASTING = "/etc/emulation/faults"
_KERNEL_LOG = "/run/emulation/kernel.log"
_SILENCE = "emulated-silence.service"
_CHECK_HEALTH = (
    f"if systemctl cat {HEALTH_SERVICE} >/dev/null 2>&1; then systemctl start {HEALTH_SERVICE};"
    " else /opt/clusterwright/slurm/health_check; fi"
)
_EACH_PROGRAM = "cd /opt/clusterwright/slurm && for f in prolog epilog health_check; do"
_CHECKS = 4
"""Two passed checks in a row resume a node; two more for services that start slowly."""


def add(node: Node, fault: str, text: str = "", *, lasting: bool = False) -> None:
    """Add a fault of `nodes/image/root/usr/lib/emulation` to a node.

    A reboot removes it; a `lasting` fault is removed only by replacing the instance.
    """
    folder = _LASTING if lasting else _FAULTS
    node.must(f"mkdir -p {folder}")
    node.write(f"{folder}/{fault}", text + "\n")


def remove(node: Node, *faults: str) -> None:
    """Remove faults from a node, including lasting ones; without names, all faults."""
    for folder in (_FAULTS, _LASTING):
        names = " ".join(f"{folder}/{fault}" for fault in faults) or f"{folder}/*"
        node.must(f"rm -f {names}")
    if not faults:
        node.must(f"rm -f {_KERNEL_LOG}")


def kernel_message(node: Node, text: str) -> None:
    """Add a message to the node's kernel log (`dmesg`), until the node is rebooted."""
    node.must(f"echo \"$(cut -d' ' -f1 /proc/uptime) $(cat)\" >>{_KERNEL_LOG}", stdin=text)


def restore(context: ScenarioContext, *nodes: Node) -> None:
    """Remove all faults of nodes and wait until Slurm uses them again."""
    for node in nodes:
        context.wait_running(node)
        remove(node)
        expect_in_service(context, node)


@contextlib.contextmanager
def unresponsive_file_system(nodes: Sequence[Node], folder: str) -> Iterator[None]:
    """Make the file system at `folder` hang on these nodes inside the `with` block."""
    try:
        with ThreadPoolExecutor(len(nodes)) as pool:
            list(pool.map(lambda node: _make_unresponsive(node, folder), nodes))
        yield
    finally:
        for node in nodes:
            with contextlib.suppress(Broken):  # the instance has been replaced
                node.must(f"systemctl stop {_SILENCE}; systemctl reset-failed {_SILENCE} || true")


@contextlib.contextmanager
def unreachable_file_systems(context: ScenarioContext) -> Iterator[None]:
    """Make mounting Lustre fail inside the `with` block; existing mounts are kept."""
    context.controller.must('for f in /srv/emulation/lustre/*/; do touch "${f%/}.down"; done')
    try:
        yield
    finally:
        context.controller.must("rm -f /srv/emulation/lustre/*.down")


@contextlib.contextmanager
def health_timer_stopped(node: Node) -> Iterator[None]:
    """Stop the node's health timer inside the `with` block."""
    node.must(f"systemctl stop {HEALTH_TIMER}")
    try:
        yield
    finally:
        node.must(f"systemctl start {HEALTH_TIMER}")


@contextlib.contextmanager
def health_checks_stopped(node: Node) -> Iterator[None]:
    """Run no health check on the node inside the `with` block: no timer, none of Slurm's.

    A replacement of the node has its health checks.
    """
    # Slurm runs all health checks in the scripted configuration and on PCS: no timer there.
    has_timer = node.run(f"systemctl stop {HEALTH_TIMER}").ok
    # slurmd drains a node whose prolog is missing.
    node.must(f"{_EACH_PROGRAM} cp -p $f $f.kept && echo '#!/bin/sh' >$f || exit 1; done")
    try:
        yield
    finally:
        node.must(f"{_EACH_PROGRAM} [ ! -e $f.kept ] || mv -f $f.kept $f; done")
        if has_timer:
            node.must(f"systemctl start {HEALTH_TIMER}")


def check_health(*nodes: Node) -> None:
    """Run the health check of nodes, as their timers do, or slurmd where no timer does."""
    with ThreadPoolExecutor(len(nodes)) as pool:
        list(pool.map(lambda node: node.must(_CHECK_HEALTH, timeout_s=150.0), nodes))


def expected_hardware(node: Node) -> dict[str, Any]:
    """The hardware that the health check expects: `accelerator_count`, ..."""
    found: dict[str, Any] = json.loads(node.must(f"cat {_EXPECTED}"))
    return found


def require_devices(context: ScenarioContext, kind: str) -> None:
    """Skip the scenario unless every compute node has accelerators of a kind."""
    without = [
        node.host for node in context.compute if expected_hardware(node)["accelerator"] != kind
    ]
    if without:
        context.skip(f"it requires {kind} devices; nodes without them: {', '.join(without)}")


def drain_reason(context: ScenarioContext, node: Node) -> str | None:
    """Slurm's reason for a drained node; None if the node is not drained."""
    shown = context.slurm(f"scontrol --oneliner show node {node.host}")
    state = re.search(r"\bState=(\S+)", shown)
    if state is None or "DRAIN" not in state.group(1):
        return None
    text = re.search(r"\bReason=(.*?) \[[^\]]*\]", shown)
    return text.group(1) if text else ""


def expect_drained(context: ScenarioContext, node: Node, *words: str) -> None:
    """Run one health check; it must drain the node with a reason that contains `words`."""
    check_health(node)
    found = drain_reason(context, node)
    context.expect(found is not None, f"{node} is {node.slurm_state()} after a health check")
    missing = [word for word in words if word not in (found or "")]
    context.expect(not missing, f"{node} is drained for {found!r}, which lacks {missing}")
    context.note(f"{node.host}: {found}")


def expect_in_service(context: ScenarioContext, node: Node) -> None:
    """Run health checks until they resume the node, which takes two passed checks in a row."""
    checks = 0
    while (reason := drain_reason(context, node)) is not None:
        if checks == _CHECKS:
            raise Broken(f"{node} is still drained after {checks} health checks: {reason}")
        check_health(node)
        checks += 1
    context.note(f"{node.host}: resumed after {checks} health checks")


def wait_failure(context: ScenarioContext, node: Node, before: str) -> tuple[str, str]:
    """Wait until the instance after `before` has failed; return its API message and its id."""
    found: list[str] = []

    def not_yet() -> str | None:
        status = context.api_nodes().get(node.name, {}).get("InstanceStatus", {})
        if node.instance_id != before and status.get("Status") == "Failure":
            found.append(status.get("Message", ""))
            return None
        return f"{node} is {status}"

    seconds = context.wait_for(not_yet, within_s=400)
    context.note(f"failed after {seconds:.0f} s")
    return found[0], node.instance_id


def reboot_and_wait(context: ScenarioContext, node: Node, *, within_s: float = 120.0) -> float:
    """Call BatchRebootClusterNodes and wait for the reboot; return the seconds.

    All machines share the host's kernel and its boot id, so the start time of systemd is compared.
    """
    started = time.monotonic()
    before = _start_time(node)
    context.reboot(node)

    def not_yet() -> str | None:
        try:
            now = _start_time(node)
        except Broken:  # while it restarts
            return f"{node} is down"
        return f"{node} has not rebooted" if now == before else None

    context.wait_for(not_yet, within_s=within_s)
    context.wait_running(node)
    return time.monotonic() - started


def _start_time(node: Node) -> str:
    # A machine that is shutting down may never answer.
    return node.must("systemctl show --property=UserspaceTimestampMonotonic", timeout_s=5.0)


def _make_unresponsive(node: Node, folder: str) -> None:
    node.must(
        f"systemctl reset-failed {_SILENCE} 2>/dev/null;"
        f" systemd-run --quiet --collect --unit={_SILENCE} /usr/lib/emulation/silence.py {folder};"
        " for _ in $(seq 100); do grep -q emulated/silent /proc/self/mounts && exit 0; sleep 0.05;"
        " done; exit 1"
    )
