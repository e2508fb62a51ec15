"""Xid and SXid messages of NVIDIA's drivers in the kernel's log since the machine started.

A message stays until the next boot, so a node that is drained for one comes back after a reboot or
a replacement, not by waiting. The verdicts are in `clusterwright_common/xid_verdicts.json`;
messages whose verdict does not drain are counted and shown in `xid.json`.
"""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Optional

from clusterwright_common import records, xid, xid_history
from clusterwright_common.kernel_log import kernel_log
from clusterwright_common.probe import Probe

from clusterwright_health.expected import Expected
from clusterwright_health.finding import Finding

QUICK = False

RECORD = "/var/lib/clusterwright/xid.json"
"""What was seen since the machine started, with all verdicts, for the controller's service."""


def look(probe: Probe, expected: Expected) -> list[Finding]:
    if expected.accelerator != "nvidia":
        return []
    found = verdicts(probe, time.time())
    return [
        Finding("xid", verdict.label, "heals" if verdict.action == "check" else verdict.action)
        for verdict in found
        if verdict.drains
    ]


def verdicts(probe: Probe, now: float) -> list[xid.Verdict]:
    """The verdicts of all messages; updates the node's history and record. `now` since 1970."""
    messages = xid.parse(kernel_log(probe)[0])
    history = xid_history.update(probe, messages, now)
    found = xid.decide(
        messages,
        xid.read_table(),
        uvm_in_use=_uvm_in_use(probe),
        history=history,
        boot=xid_history.boot_id(probe),
        now=now,
    )
    _keep(probe, found, now)
    return found


def _uvm_in_use(probe: Probe) -> Optional[bool]:
    text = probe.read("/proc/modules")
    if text is None:
        return None
    rows = [line.split() for line in text.splitlines() if line.startswith("nvidia_uvm ")]
    return any(len(row) > 2 and row[2].isdigit() and int(row[2]) > 0 for row in rows)


def _keep(probe: Probe, found: list[xid.Verdict], now: float) -> None:
    """Write the record where the verdicts changed; `since` is when they were first seen."""
    path = probe.path(RECORD)
    boot = xid_history.boot_id(probe)
    rows = [asdict(verdict) for verdict in found]
    kept = records.read(path)
    if kept.get("boot") == boot and kept.get("verdicts") == rows:
        return
    if not rows and not kept:
        return
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
    try:
        records.write(
            path,
            {
                "schema_version": 1,
                "boot": boot,
                "instance_id": xid_history.instance_id(probe),
                "since": stamp,
                "verdicts": rows,
                "yield_to_node_recovery_seconds": xid.act_after_seconds(
                    xid.read_table(), has_node_recovery=True
                ),
            },
        )
    except OSError as error:
        print(f"clusterwright_health: {error}")
