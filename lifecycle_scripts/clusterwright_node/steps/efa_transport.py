"""Verify that Lustre's data is transferred over EFA.

Lustre silently falls back to TCP if EFA does not work. So write and read 64 MiB without the page
cache, and compare the counters of LNet's EFA interfaces. Counters are read per interface and
added up as numbers; an interface that is down, or lacks a counter, fails the step.
"""

from __future__ import annotations

from clusterwright_node import lnet
from clusterwright_node.contract import Lustre
from clusterwright_node.errors import StepError
from clusterwright_node.lnet import Interface
from clusterwright_node.machine import failure_of
from clusterwright_node.node import APPLIES, SATISFIED, Node, Verdict, missing, skip

AFTER = ("lustre",)
DEADLINE_SECONDS = 300
RETRIES = 2

# In /run, so that it is verified again after each boot.
_MARKER = "/run/clusterwright/efa-transport-%s"
_TEST_MIB = 64
# Lustre moves at most 16 MiB in one bulk transfer, so 64 MiB are at least 4 messages each way; a
# few pings are not taken for data.
_LEAST_MESSAGES = 4
_HINT = (
    "the security groups of nodes and file system need a rule from and to themselves for all"
    " traffic, both must be in one availability zone, and the file system must have EFA enabled"
)


def applies(node: Node) -> Verdict:
    if not node.group.efa:
        return skip(f"group {node.group.name} has no EFA")
    if not _file_systems(node):
        return skip("no Lustre file system has EFA")
    return APPLIES


def check(node: Node) -> Verdict:
    _all_up(lnet.efa_interfaces(node))
    for entry in _file_systems(node):
        if node.machine.read_text(_MARKER % entry.name) is None:
            return missing(
                f"{entry.mount_path} has not been tested for EFA since this node started"
            )
    return SATISFIED


def apply(node: Node) -> None:
    for entry in _file_systems(node):
        before = lnet.efa_interfaces(node)
        _transfer(node, entry)
        after = lnet.efa_interfaces(node)
        text = compare(before, after, entry.mount_path)
        node.notice(text)
        node.machine.write_text(_MARKER % entry.name, text + "\n")


def compare(before: list[Interface], after: list[Interface], path: str) -> str:
    """A summary of the transfer. Raises StepError if it did not use EFA."""
    _all_up(after)
    earlier = {interface.nid: interface for interface in before}
    if set(earlier) != {interface.nid for interface in after} or len(earlier) != len(after):
        raise StepError(
            f"LNet's EFA interfaces changed during the test of {path}", _HINT, transient=True
        )
    sent = {item.nid: item.sent - earlier[item.nid].sent for item in after}
    received = {item.nid: item.received - earlier[item.nid].received for item in after}
    if min(list(sent.values()) + list(received.values())) < 0:
        raise StepError(
            f"a counter of LNet decreased during the test of {path}", _HINT, transient=True
        )
    if sum(sent.values()) < _LEAST_MESSAGES or sum(received.values()) < _LEAST_MESSAGES:
        raise StepError(
            f"data to and from {path} does not use EFA: {_TEST_MIB} MiB each way moved"
            f" {sum(sent.values())} messages out and {sum(received.values())} in over"
            f" {len(after)} EFA interfaces",
            _HINT,
            transient=True,
        )
    silent = sorted(nid for nid in sent if sent[nid] == 0 and received[nid] == 0)
    text = (
        f"{path} uses EFA: {sum(sent.values())} messages out and {sum(received.values())} in"
        f" over {len(after)} interfaces"
    )
    return text + ("; nothing over {}".format(", ".join(silent)) if silent else "")


def _file_systems(node: Node) -> list[Lustre]:
    return [entry for entry in node.inputs.cluster.lustre if entry.efa]


def _all_up(interfaces: list[Interface]) -> None:
    if not interfaces:
        raise StepError("LNet has no EFA network", _HINT)
    down = [f"{item.nid} is {item.status}" for item in interfaces if item.status != "up"]
    if down:
        raise StepError(
            "EFA interfaces of LNet are not up: {}".format(", ".join(down)), _HINT, transient=True
        )


def _transfer(node: Node, entry: Lustre) -> None:
    """Write and read the test file without the page cache."""
    name = f"{node.machine.path(entry.mount_path)}/.clusterwright-efa-{node.identity.instance_id}"
    try:
        for argv in (
            ("dd", "if=/dev/zero", "of=" + name, "bs=1M", f"count={_TEST_MIB}", "oflag=direct"),
            ("dd", "if=" + name, "of=/dev/null", "bs=1M", "iflag=direct"),
        ):
            result = node.machine.query(*argv, timeout_seconds=120.0)
            if not result.ok:
                raise failure_of(result)
    finally:
        node.machine.query("rm", "-f", name, timeout_seconds=30.0)
