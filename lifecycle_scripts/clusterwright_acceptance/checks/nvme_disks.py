"""Instance-store disks: exactly those of the type, each of its size.

EBS volumes are NVMe devices too; their model is "Amazon Elastic Block Store".
"""

from __future__ import annotations

import re
from typing import Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.outcome import Outcome, failed, unknown

ID = "nvme-disks"
SIZE_TOLERANCE = 0.03
MODEL = "Amazon EC2 NVMe Instance Storage"

_CLASS = "/sys/class/nvme"
_SOURCE = "EC2's instance types, catalogue"
_SECTOR_BYTES = 512


def applies(expected: Expected) -> Optional[str]:
    return "the type has no instance store" if expected.type.nvme_count == 0 else None


def look(probe: Probe, expected: Expected) -> Outcome:
    sizes = disks(probe)
    shown = {"value": float(len(sizes)), "unit": "disks", "source": _SOURCE}
    wanted, each = expected.type.nvme_count, expected.type.nvme_gb
    if wanted is None:
        return unknown("no source states how many disks this type has", **shown)
    shown["floor"] = float(wanted)
    if len(sizes) != wanted:
        text = f"{len(sizes)} instance-store disks, {expected.instance_type} has {wanted}"
        return failed(text, "replace", **shown)
    for name, gb in sizes.items():
        if gb is not None and each and abs(gb / each - 1) > SIZE_TOLERANCE:
            return failed(f"{name} has {gb:.0f} GB, the type's disks {each}", "replace", **shown)
    return Outcome("pass", **shown)  # type: ignore[arg-type]


def disks(probe: Probe) -> dict[str, Optional[float]]:
    """Instance-store disks and their sizes in GB; None where the size cannot be read."""
    found: dict[str, Optional[float]] = {}
    for name in probe.names(_CLASS):
        if (probe.read(f"{_CLASS}/{name}/model") or "").strip() != MODEL:
            continue
        found[name] = None
        for part in probe.names(f"{_CLASS}/{name}"):
            if re.fullmatch(rf"{name}(c\d+)?n\d+", part):
                text = (probe.read(f"{_CLASS}/{name}/{part}/size") or "").strip()
                if text.isdigit():
                    found[name] = int(text) * _SECTOR_BYTES / 1e9
    return found
