"""GPUs: exactly as many as the type has, all of one model, with the type's memory.

Source of the field names: nvidia-smi --help-query-gpu.
"""

from __future__ import annotations

from typing import Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance import running
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.outcome import Outcome, failed, passed, unknown

ID = "gpu-count"
MEMORY_TOLERANCE = 0.03
"""nvidia-smi states MiB that the driver reserves for itself in other amounts than EC2's GiB."""

_QUERY = "--query-gpu=index,name,memory.total,pci.bus_id"
_SOURCE = "EC2's instance types, catalogue"


def applies(expected: Expected) -> Optional[str]:
    return None if expected.kind == "nvidia" else "the type has no NVIDIA GPUs"


def look(probe: Probe, expected: Expected) -> Outcome:
    nvidia_smi = running.program(probe, expected, "nvidia-smi")
    result = running.run(probe, [nvidia_smi, _QUERY, "--format=csv,noheader,nounits"], 15.0)
    if not result.ok:
        said = result.stdout + result.stderr
        lost = "Unable to determine the device handle" in said or "fallen off the bus" in said
        return failed(f"nvidia-smi: {result.summary}", "replace" if lost else "reboot")
    rows = [[cell.strip() for cell in line.split(",")] for line in result.stdout.splitlines()]
    rows = [row for row in rows if row != [""]]
    if any(len(row) != 4 for row in rows):
        raise running.Unreadable("the output of nvidia-smi has an unknown form")
    models = sorted({row[1] for row in rows})
    wanted, facts = expected.type.accelerator_count, {"gpu_model": ", ".join(models)}
    shown = {"value": float(len(rows)), "unit": "GPUs", "source": _SOURCE, "facts": facts}
    if wanted is None:
        return unknown("no source states how many GPUs this type has", value=float(len(rows)))
    shown["floor"] = float(wanted)
    if len(rows) != wanted:
        action = "replace" if len(rows) < wanted else "report"
        return failed(f"{len(rows)} GPUs, {expected.instance_type} has {wanted}", action, **shown)
    if len(models) > 1:
        return failed(f"GPUs of several models: {', '.join(models)}", "replace", **shown)
    memory = expected.type.accelerator_memory_gib
    for index, _, mib, bus in rows:
        if not mib.replace(".", "").isdigit():
            return failed(f"GPU {index} ({bus}) has unknown memory: {mib}", "replace", **shown)
        if memory is not None and abs(float(mib) / 1024 / memory - 1) > MEMORY_TOLERANCE:
            text = f"GPU {index} ({bus}) has {float(mib) / 1024:.1f} GiB, the type {memory:g} GiB"
            return failed(text, "replace", **shown)
    return Outcome(passed().verdict, **shown)
