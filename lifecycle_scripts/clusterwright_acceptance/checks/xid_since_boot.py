"""Xid and SXid messages since the machine started, by the table of the health check."""

from __future__ import annotations

import time
from typing import Optional

from clusterwright_common import xid, xid_history
from clusterwright_common.kernel_log import kernel_log
from clusterwright_common.probe import Probe

from clusterwright_acceptance import running
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.outcome import Outcome, failed, passed

ID = "xid"


def applies(expected: Expected) -> Optional[str]:
    return None if expected.kind == "nvidia" else "the type has no NVIDIA GPUs"


def look(probe: Probe, expected: Expected) -> Outcome:
    lines, readable = kernel_log(probe)
    if not readable:
        raise running.Unreadable("neither dmesg nor journalctl shows the kernel's log")
    table = xid.read_table()
    messages = xid.parse(lines)
    found = xid.decide(
        messages,
        table,
        history=xid_history.update(probe, messages, time.time()),
        boot=xid_history.boot_id(probe),
        now=time.time(),
    )
    source = str(table.content["source"])
    for verdict in found:
        if verdict.drains:
            return failed(verdict.label, verdict.action, source=source)
    shown = [verdict.label for verdict in found if verdict.action != "none"]
    return Outcome(passed().verdict, "; ".join(shown), source=source)
