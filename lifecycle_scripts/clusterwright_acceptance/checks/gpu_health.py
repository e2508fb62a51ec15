"""GPUs: no uncorrected memory errors, all PCIe lanes, not hot, not throttled by hardware.

Field names: nvidia-smi --help-query-gpu. 88 °C is HyperPod's mark of concern (ADT-MM). One GPU
that is hot or throttled while the others are not is replaced.
"""

from __future__ import annotations

from typing import Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance import running
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.outcome import Outcome, failed

ID = "gpu-health"
HOT_CELSIUS = 88.0
SOURCE = "HyperPod's mark of concern: awsome-distributed-ai, HyperPod mental model (2026-07-23)"

_FIELDS = (
    "index",
    "ecc.errors.uncorrected.volatile.total",
    "pcie.link.width.current",
    "pcie.link.width.max",
    "temperature.gpu",
    "clocks_throttle_reasons.hw_slowdown",
)
_ROWS = ("gpu_bus_id", "remapped_rows.pending", "remapped_rows.failure")


def applies(expected: Expected) -> Optional[str]:
    return None if expected.kind == "nvidia" else "the type has no NVIDIA GPUs"


def look(probe: Probe, expected: Expected) -> Outcome:
    nvidia_smi = running.program(probe, expected, "nvidia-smi")
    text = running.output(
        probe,
        [nvidia_smi, f"--query-gpu={','.join(_FIELDS)}", "--format=csv,noheader,nounits"],
        15,
    )
    rows = [[cell.strip() for cell in line.split(",")] for line in text.splitlines() if line]
    if not rows or any(len(row) != len(_FIELDS) for row in rows):
        raise running.Unreadable("the output of nvidia-smi has an unknown form")
    hottest = max((float(row[4]) for row in rows if row[4].isdigit()), default=None)
    shown = {"value": hottest, "unit": "°C", "floor": None, "source": SOURCE}
    for index, errors, width, widest, heat, slow in rows:
        gpu = f"GPU {index}"
        if errors.isdigit() and int(errors):
            return failed(f"{gpu}: {errors} uncorrected memory errors", "replace", **shown)
        if width.isdigit() and widest.isdigit() and int(width) < int(widest):
            return failed(f"{gpu}: {width} of {widest} PCIe lanes", "reboot", **shown)
        if heat.isdigit() and float(heat) >= HOT_CELSIUS:
            return failed(f"{gpu}: {heat} °C", "replace", **shown)
        if slow == "Active":
            return failed(f"{gpu} is throttled by its hardware", "replace", **shown)
    return _remapped(probe, nvidia_smi, shown)


def _remapped(probe: Probe, nvidia_smi: str, shown: dict[str, object]) -> Outcome:
    result = running.run(
        probe,
        [nvidia_smi, f"--query-remapped-rows={','.join(_ROWS)}", "--format=csv,noheader,nounits"],
        15.0,
    )
    # Types without row remapping do not support the query.
    for line in result.stdout.splitlines() if result.ok else []:
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) != len(_ROWS):
            continue
        if cells[2] in ("1", "Yes"):
            return failed(f"GPU {cells[0]}: a row could not be remapped", "replace", **shown)
        if cells[1] in ("1", "Yes"):
            return failed(f"GPU {cells[0]}: a row remapping is pending", "reboot", **shown)
    return Outcome("pass", **shown)  # type: ignore[arg-type]
