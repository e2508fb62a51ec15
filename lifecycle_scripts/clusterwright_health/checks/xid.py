"""NVIDIA's Xid messages in the kernel's log since the machine started.

A message stays until the next boot, so a node that is drained for one comes back after a reboot or
a replacement, not by waiting.

Source of the codes: NVIDIA, "Analyzing Xid Errors with the Xid Catalog" (8 and 13: restart the
application), NVIDIA Health Validation, "Xid Checks" (46, 48: drain, reset, then service), NVIDIA,
"GPU Memory Error Management" (63, 64, 94, 95), read 2026-11-21. Codes that are
not in the table have no documented meaning for the hardware and are no findings.
"""

from __future__ import annotations

import re

from clusterwright_common.probe import Probe

from clusterwright_health.expected import Expected
from clusterwright_health.finding import Finding

QUICK = False

CODES = {
    46: ("GPU stopped processing", "reboot"),
    48: ("double bit ECC error", "reboot"),
    64: ("row remapping failed", "replace"),
    74: ("NVLink error", "reboot"),
    79: ("GPU has fallen off the bus", "replace"),
    95: ("uncontained memory error", "reboot"),
}

_MESSAGE = re.compile(r"NVRM: Xid \((?:PCI:)?([0-9A-Fa-f:.]+)\): ([0-9]+)\b")


def look(probe: Probe, expected: Expected) -> list[Finding]:
    if expected.accelerator != "nvidia":
        return []
    seen: dict[tuple[str, int], None] = {}
    for argv in (["dmesg"], ["journalctl", "--dmesg", "--boot", "--output=cat", "--no-pager"]):
        if probe.has(argv[0]):
            for bus, code in _MESSAGE.findall(probe.run(argv).stdout):
                seen.setdefault((bus, int(code)))
    return [
        Finding("xid", f"{code} on {bus}: {CODES[code][0]}", CODES[code][1])
        for bus, code in seen
        if code in CODES
    ]
