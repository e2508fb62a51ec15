"""The kernel's log since the machine started, with the time of each line."""

from __future__ import annotations

from clusterwright_common.probe import Probe

SOURCES = (
    ("dmesg",),
    ("journalctl", "--dmesg", "--boot", "--output=short-monotonic", "--no-pager"),
)
"""The journal has lines that have left the kernel's buffer; both stamp a line in the same way."""


def kernel_log(probe: Probe) -> tuple[list[str], bool]:
    """The lines of all sources, and whether one of them could be read."""
    lines: list[str] = []
    readable = False
    for argv in SOURCES:
        if probe.has(argv[0]):
            result = probe.run(list(argv))
            readable = readable or result.ok
            lines += result.stdout.splitlines()
    return lines, readable
