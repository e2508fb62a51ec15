"""Acceptance tests every node with jobs of Slurm, and names the node that cannot be trusted.

The request and the report are those of `clusterwright accept`, level quick. A limit of this host
that the emulated nodes cannot raise is waived on the nodes, and the report says so.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

from clusterwright_rehearsal import host_limits
from clusterwright_rehearsal.scenario_api import faults, operator
from clusterwright_rehearsal.scenario_api.context import ScenarioContext
from clusterwright_rehearsal.scenario_api.node import Node

ORDER = 43
SECONDS = 45
MODES = ("managed", "scripted", "parallelcluster", "pcs")

PROMISES = {
    "accepted": "each node is accepted, and each check of the level has a verdict",
    "published": "the answer, the report and the published state have the nodes' acceptance",
    "rejected": "exactly the node with faults is rejected, by exactly the checks that find them",
    "versions": "a version that differs is rejected where most nodes agree, else unknown",
    "again": "without the faults every node is accepted again",
}

_EXPECTED = "/etc/clusterwright/acceptance.json"
_CHECKS = "/opt/clusterwright/lib/clusterwright_acceptance/checks.json"
_CUDA = "/usr/local/cuda/version.json"
"""Emulated nodes have no CUDA: the file gives them a version, which differs on one."""
_HISTORY = "/var/lib/clusterwright/xid_history.json"
_XID = (
    "NVRM: Xid (PCI:0000:53:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
)
_EFA_CLASS = "/sys/class/infiniband"


def run(context: ScenarioContext) -> None:
    nodes = context.compute
    bad = nodes[-1]
    with contextlib.ExitStack() as stack:
        for node in nodes:
            stack.enter_context(prepared(node))
        with context.promise("accepted"):
            report = expect_accepted(context)
            for check in node_of(report, bad)["checks"]:
                if check["verdict"] == "waived":
                    context.note(f"{check['id']}: {check['reason']}")

        with context.promise("published"):
            answer = operator.answer(context, report["run"])
            context.expect(
                {row["node"] for row in answer["done"]} == {node.host for node in nodes},
                f"answer: {answer}",
            )
            context.expect(
                operator.published_report(context, report["run"]) == report,
                "another report is published",
            )
            state = operator.read_object(context, "state/scheduler.json") or {}
            states = {name: one["state"] for name, one in (state["acceptance"] or {}).items()}
            context.expect(
                states == dict.fromkeys((node.host for node in nodes), "accepted"), f"{states}"
            )

        passed = _ids(node_of(report, bad), "pass")
        with context.promise("rejected"):
            with _faults(bad, passed) as wanted:
                report = operator.acceptance_report(context, operator.start_acceptance(context))
            expect_only(context, report, bad, set(wanted))
            for check in node_of(report, bad)["checks"]:
                if check["id"] in wanted:
                    context.note(f"{check['id']}: {check['reason']}")

        with context.promise("versions"):
            if "versions" in passed:
                _expect_versions(context, nodes, bad)
            else:
                context.note("nodes with neither accelerators nor EFA: versions are not compared")

        with context.promise("again"):
            expect_accepted(context)


@contextlib.contextmanager
def prepared(node: Node) -> Iterator[None]:
    """Stop the node's health checks, which would drain it, and waive what this host lacks.

    Locked memory is limited by the host, which machines without CAP_SYS_RESOURCE cannot raise.
    """
    expected = node.must(f"cat {_EXPECTED}")
    limit = node.must("prlimit --pid $(pgrep -o -x slurmd) --memlock --noheadings --output=SOFT")
    with faults.health_checks_stopped(node):
        try:
            if limit.strip().isdigit() and int(limit) // 1024 < host_limits.FLOOR_KIB:
                waivers = [host_limits.waiver()]
                node.write(_EXPECTED, json.dumps({**json.loads(expected), "waivers": waivers}))
            yield
        finally:
            node.write(_EXPECTED, expected)
            faults.remove(node)


def expect_accepted(context: ScenarioContext) -> dict[str, Any]:
    """Run acceptance: every node must be accepted, with a verdict of every check."""
    report = operator.acceptance_report(context, operator.start_acceptance(context))
    rows = json.loads(context.controller.must(f"cat {_CHECKS}"))["checks"]
    wanted = {row["id"] for row in rows if (row["level"], row["scope"]) == ("quick", "node")}
    context.expect(
        {one["name"] for one in report["nodes"]} == {node.host for node in context.compute},
        f"tested: {[one['name'] for one in report['nodes']]}",
    )
    for one in report["nodes"]:
        verdict = f"{one['name']} is {one['verdict']}: {one['reason']}"
        context.expect(one["verdict"] == "accepted", verdict)
        without = wanted - _ids(one, "pass", "skipped", "waived")
        context.expect(not without, f"{one['name']}: no verdict of {sorted(without)}")
    return report


@contextlib.contextmanager
def _faults(node: Node, passed: set[str]) -> Iterator[list[str]]:
    """Faults of the node that these checks find; a check that does not apply has none."""
    device = node.run(f"ls {_EFA_CLASS}").stdout.split()[:1]
    port = f"{_EFA_CLASS}/{device[0] if device else ''}/ports/1/state"
    disk = "/sys/class/nvme/nvme1/model"
    commands = {
        "gpu-health": "echo 0 >/run/emulation/faults/gpu-ecc",
        "xid": f"echo \"$(cut -d' ' -f1 /proc/uptime) {_XID}\" >>/run/emulation/kernel.log",
        "efa-devices": f"echo '1: DOWN' >{port}",
        "cpus": "echo 1 >/run/emulation/faults/cpu-offline",
        # An eighth: the check allows 7 % less.
        "memory": "free --bytes | awk '/^Mem:/ {print int($2 / 2 ^ 33)}'"
        " >/run/emulation/faults/memory-lost",
        "nvme-disks": f"cp {disk} /run/emulation/model; echo 'Amazon Elastic Block Store' >{disk}",
    }
    wanted = [check for check in commands if check in passed]
    node.must(f"mkdir -p /run/emulation/faults; cp {_HISTORY} /run/emulation/history || true")
    try:
        for check in wanted:
            node.must(commands[check])
        yield wanted
    finally:
        faults.remove(node)
        node.run(f"mv /run/emulation/history {_HISTORY} || rm -f {_HISTORY}")
        if "efa-devices" in wanted:
            node.must(f"echo '4: ACTIVE' >{port}")
        if "nvme-disks" in wanted:
            node.must(f"cat /run/emulation/model >{disk}")


def expect_only(
    context: ScenarioContext, report: dict[str, Any], bad: Node, wanted: set[str]
) -> None:
    """Exactly the checks `wanted` fail, on exactly this node, which is rejected."""
    failed = {
        (one["name"], check) for one in report["nodes"] for check in _ids(one, "fail", "hung")
    }
    context.expect(failed == {(bad.host, check) for check in wanted}, f"failed: {failed}")
    verdicts = {one["name"]: one["verdict"] for one in report["nodes"]}
    others = {name: verdict for name, verdict in verdicts.items() if name != bad.host}
    context.expect(verdicts[bad.host] == "rejected", f"{verdicts}")
    context.expect(set(others.values()) <= {"accepted"}, f"{verdicts}")


def _expect_versions(context: ScenarioContext, nodes: list[Node], bad: Node) -> None:
    same = [node for node in nodes if node.group == bad.group]
    try:
        for node in same:
            text = json.dumps({"cuda": {"version": "0.0.0" if node is bad else "12.8.0"}})
            node.must(f"mkdir -p $(dirname {_CUDA})")
            node.write(_CUDA, text)
        report = operator.acceptance_report(context, operator.start_acceptance(context))
    finally:
        for node in same:
            node.must(f"rm -f {_CUDA}")
    one = node_of(report, bad)
    row = next((row for row in one["checks"] if row["id"] == "equal-versions"), None)
    if len(same) < 2:
        context.note("one node of its group: there is nothing to compare")
        return
    context.expect(row is not None and "versions.cuda" in row["reason"], f"{row}")
    wanted = "fail" if len(same) > 2 else "unknown"
    context.expect(row is not None and row["verdict"] == wanted, f"{row}")
    context.note(f"{one['verdict']}: {one['reason']}")


def node_of(report: dict[str, Any], node: Node) -> dict[str, Any]:
    return dict(next(one for one in report["nodes"] if one["name"] == node.host))


def _ids(node: dict[str, Any], *verdicts: str) -> set[str]:
    return {str(row["id"]) for row in node["checks"] if row["verdict"] in verdicts}
