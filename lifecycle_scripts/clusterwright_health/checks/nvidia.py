"""NVIDIA GPUs: all present, without uncorrected memory errors, with all PCIe lanes.

Source: nvidia-smi's `--help-query-gpu` and `--help-query-remapped-rows` for the names of fields;
 NVIDIA, "GPU Memory Error Management", for pending and failed row remappings.
"""

from __future__ import annotations

from clusterwright_common.probe import Probe

from clusterwright_health.expected import Expected
from clusterwright_health.finding import Finding

QUICK = True

_ASKED = (
    "index,pci.bus_id,ecc.errors.uncorrected.volatile.total,"
    "pcie.link.width.current,pcie.link.width.max"
)


def look(probe: Probe, expected: Expected) -> list[Finding]:
    if expected.accelerator != "nvidia":
        return []
    answer = probe.run(["nvidia-smi", f"--query-gpu={_ASKED}", "--format=csv,noheader,nounits"])
    if not answer.ok:
        # It fails if one GPU is off the bus, or if the driver is not loaded.
        said = answer.stdout + answer.stderr
        remedy = "replace" if "Unable to determine the device handle" in said else "reboot"
        return [Finding("gpu", f"nvidia-smi: {answer.summary}", remedy)]
    rows = [line.split(",") for line in answer.stdout.splitlines() if line.strip()]
    found = []
    if len(rows) < expected.accelerator_count:
        found.append(
            Finding("gpu", f"{len(rows)} of {expected.accelerator_count} GPUs", "replace")
        )
    for row in rows:
        found += _of_one([cell.strip() for cell in row])
    return found + _remapped_rows(probe)


def _of_one(row: list[str]) -> list[Finding]:
    if len(row) != 5:
        return [Finding("gpu", "the output of nvidia-smi has an unknown format", "reboot")]
    index, bus, errors, width, widest = row
    found = []
    if errors.isdigit() and int(errors) > 0:
        found.append(
            Finding("gpu", f"GPU {index} ({bus}): {errors} uncorrected memory errors", "replace")
        )
    if width.isdigit() and widest.isdigit() and int(width) < int(widest):
        found.append(Finding("pcie", f"GPU {index} ({bus}): {width} of {widest} lanes", "reboot"))
    return found


def _remapped_rows(probe: Probe) -> list[Finding]:
    answer = probe.run(
        [
            "nvidia-smi",
            "--query-remapped-rows=gpu_bus_id,remapped_rows.pending,remapped_rows.failure",
            "--format=csv,noheader,nounits",
        ]
    )
    # Types without row remapping and older drivers do not support the query.
    if not answer.ok:
        return []
    found = []
    for line in answer.stdout.splitlines():
        cells = [cell.strip() for cell in line.split(",")]
        if len(cells) != 3:
            continue
        bus, pending, failure = cells
        if failure in ("1", "Yes"):
            found.append(Finding("gpu", f"GPU {bus}: a row could not be remapped", "replace"))
        elif pending in ("1", "Yes"):
            found.append(Finding("gpu", f"GPU {bus}: a row remapping is pending", "reset"))
    return found
