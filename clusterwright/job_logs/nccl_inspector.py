"""What NCCL Inspector writes for Prometheus: means of NCCL's operations since the file before.

NCCL Inspector is a profiler plug-in of NCCL 2.28.3 and newer that a job loads. With
NCCL_INSPECTOR_PROM_DUMP=1 it writes a file for each GPU, every 30 s or more: means by operation,
size and algorithm, without their number. Names, labels and the form of `message_size` are NCCL's
(plugins/profiler/inspector, README.md and inspector_prom.cc, read 2026-11-27).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

FILE: Final = re.compile(r"nccl_inspector_metrics_([A-Za-z0-9-]{1,64})\.prom")
"""The name of a file, with the UUID of the GPU."""
_LINE: Final = re.compile(r"([a-z0-9_]+)\{([^}]*)\} (\S+)")
_LABEL: Final = re.compile(r'([a-z0-9_]+)="([A-Za-z0-9_. -]*)"')
# A size_t, in the unit that leaves it below 1,024: at most 16,777,216 TB.
_SIZE: Final = re.compile(r"([0-9]{1,8})(?:-[0-9]{1,8})?(B|KB|MB|GB|TB)")
_UNITS: Final = ("B", "KB", "MB", "GB", "TB")


@dataclass(frozen=True)
class Sample:
    """One value; `least_bytes` is the lower bound of the label `message_size`."""

    name: str
    labels: dict[str, str]
    least_bytes: int
    value: float


def samples(text: str) -> Iterator[Sample]:
    """The values of a file that have a size of messages; other lines are left out."""
    for name, labels, number in _LINE.findall(text):
        given = dict(_LABEL.findall(labels))
        size = _SIZE.fullmatch(given.get("message_size", ""))
        try:
            value = float(number)
        except ValueError:
            continue
        if size is not None:
            least = int(size.group(1)) * 1024 ** _UNITS.index(size.group(2))
            yield Sample(name, given, least, value)
