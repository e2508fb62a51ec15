"""Neuron devices: exactly as many as the type has, without uncorrected memory errors.

`neuron-ls --json-output` prints a list of objects with `neuron_device` and `nc_count`.
"""

from __future__ import annotations

import json
from typing import Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance import running
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.outcome import Outcome, failed, unknown

ID = "neuron-devices"

_SYSFS = "/sys/devices/virtual/neuron_device"
_COUNTERS = ("mem_ecc_uncorrected", "sram_ecc_uncorrected")
_SOURCE = "EC2's instance types, catalogue"


def applies(expected: Expected) -> Optional[str]:
    return None if expected.kind == "neuron" else "the type has no Neuron devices"


def look(probe: Probe, expected: Expected) -> Outcome:
    text = running.output(
        probe, [running.program(probe, expected, "neuron-ls"), "--json-output"], 20.0
    )
    try:
        rows = json.loads(text)
        cores = sorted({int(row["nc_count"]) for row in rows})
    except (ValueError, TypeError, KeyError) as error:
        raise running.Unreadable("the output of neuron-ls has an unknown form") from error
    wanted = expected.type.accelerator_count
    if wanted is None:
        return unknown("no source states how many devices this type has", value=float(len(rows)))
    shown = {"value": float(len(rows)), "floor": float(wanted), "unit": "devices"}
    shown["source"] = _SOURCE  # type: ignore[assignment]
    if len(rows) != wanted:
        text = f"{len(rows)} Neuron devices, {expected.instance_type} has {wanted}"
        return failed(text, "replace", **shown)
    if len(cores) > 1:
        return failed(f"devices with {cores[0]} and {cores[-1]} cores", "replace", **shown)
    for name in probe.names(_SYSFS):
        for counter in _COUNTERS:
            value = (probe.read(f"{_SYSFS}/{name}/stats/hardware/{counter}") or "0").strip()
            if value.isdigit() and int(value):
                return failed(f"{name}: {counter} is {value}", "replace", **shown)
    return Outcome("pass", facts={"neuron_cores": cores[0] if cores else 0}, **shown)  # type: ignore[arg-type]
