#!/usr/bin/python3 -SE
"""Emulates nvidia-smi: -L, -i, --query-gpu=FIELDS and --query-remapped-rows=FIELDS with
--format=csv[,noheader][,nounits], and nvlink --status or --errorcounters.

Faults, each with the indices of the affected GPUs: `gpu-lost`, `gpu-ecc` (uncorrectable errors),
`gpu-rows` (a row remapping is pending), `gpu-rows-failed` (a row remapping has failed),
`gpu-pcie` (half of the lanes are lost), `gpu-hot`, `gpu-busy` (fully utilised); with `GPU:LINK`
words `nvlink-down` and `nvlink-errors`; and, with any text, `gpu-driver` (the driver is not
loaded) and `gpu-hang` (no answer). Field names are those of nvidia-smi's --help-query-gpu and
--help-query-remapped-rows. Error messages are taken from public threads; the layout of the plain
table differs from NVIDIA's, and the number of 16 lanes is an assumption. The number and speed of
NVLinks are those of an H100 (NVIDIA H100 datasheet: 18 links, 900 GB/s); a single GPU has none.
"""

from __future__ import annotations

import sys
import time

import hardware

_OF_ONE = ("gpu-ecc", "gpu-rows", "gpu-rows-failed", "gpu-pcie", "gpu-hot", "gpu-busy")
_LANES = 16
_LINKS, _LINK_SPEED = 18, "26.562 GB/s"


def main(argv: list[str]) -> int:
    while hardware.fault("gpu-hang") is not None:
        time.sleep(1.0)
    machine = hardware.hardware()["accelerator"]
    if machine["kind"] != "nvidia" or hardware.fault("gpu-driver") is not None:
        print(
            "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make"
            " sure that the latest NVIDIA driver is installed and running.\n"
        )
        return 9
    chosen = list(range(machine["count"]))
    if "-i" in argv:
        chosen = [int(part) for part in argv[argv.index("-i") + 1].split(",")]
    lost = _indices("gpu-lost")
    if "-L" in argv or "--list-gpus" in argv:
        for index in chosen:
            if index not in lost:
                print(f"GPU {index}: NVIDIA {machine['model']} (UUID: {hardware.uuid(index)})")
        return 0
    for index in chosen:
        if index in lost:
            address = hardware.pci_address(index).upper()
            print(
                f"Unable to determine the device handle for GPU{index}: {address}: Unknown Error"
            )
            return 15
    if argv[:1] == ["nvlink"]:
        return _nvlink(argv[1:], chosen, machine)
    return _table(argv, chosen, machine)


def _nvlink(argv: list[str], chosen: list[int], machine: dict[str, object]) -> int:
    down, errors = (
        (hardware.fault(name) or "").split() for name in ("nvlink-down", "nvlink-errors")
    )
    for index in chosen:
        print(f"GPU {index}: NVIDIA {machine['model']} (UUID: {hardware.uuid(index)})")
        for link in range(_LINKS if machine["count"] != 1 else 0):
            word = f"{index}:{link}"
            if "-e" in argv or "--errorcounters" in argv:
                for kind in ("Replay", "Recovery", "CRC"):
                    number = 7 if kind == "Replay" and word in errors else 0
                    print(f"\t Link {link}: {kind} Errors: {number}")
            else:
                print(f"\t Link {link}: {'<inactive>' if word in down else _LINK_SPEED}")
    return 0


def _table(argv: list[str], chosen: list[int], machine: dict[str, object]) -> int:
    queries = ("--query-gpu=", "--query-remapped-rows=")
    query = next((a.split("=", 1)[1] for a in argv if a.startswith(queries)), None)
    if query is None:
        print(f"emulated nvidia-smi, driver {machine['driver']}")
        for index in chosen:
            print(f"| {index}  {machine['model']}  {_value(index, 'memory.total', machine)} |")
        return 0
    style = next((a.split("=", 1)[1] for a in argv if a.startswith("--format=")), "csv").split(",")
    fields = [field.strip() for field in query.split(",")]
    if "noheader" not in style:
        print(", ".join(fields))
    for index in chosen:
        values = [_value(index, field, machine) for field in fields]
        if "nounits" in style:
            values = [value.split(" ")[0] if _has_unit(value) else value for value in values]
        print(", ".join(values))
    return 0


def _indices(fault: str) -> set[int]:
    return {int(word) for word in (hardware.fault(fault) or "").split()}


def _has_unit(value: str) -> bool:
    return value.endswith((" MiB", " %", " W", " MHz"))


def _value(index: int, field: str, machine: dict[str, object]) -> str:
    broken = {name: index in _indices(name) for name in _OF_ONE}
    uncorrected = "4" if broken["gpu-ecc"] else "0"
    values = {
        "index": str(index),
        "count": str(machine["count"]),
        "name": f"NVIDIA {machine['model']}",
        "gpu_name": f"NVIDIA {machine['model']}",
        "uuid": hardware.uuid(index),
        "gpu_uuid": hardware.uuid(index),
        "serial": str(1650000000000 + index),
        "pci.bus_id": "0000" + hardware.pci_address(index).upper(),
        "gpu_bus_id": "0000" + hardware.pci_address(index).upper(),
        "driver_version": str(machine["driver"]),
        "memory.total": f"{machine['memory_mib']} MiB",
        "memory.used": "0 MiB",
        "memory.free": f"{machine['memory_mib']} MiB",
        "utilization.gpu": "100 %" if broken["gpu-busy"] else "0 %",
        "temperature.gpu": "91" if broken["gpu-hot"] else "31",
        "power.draw": "69.12 W",
        "persistence_mode": "Enabled",
        "ecc.mode.current": "Enabled",
        "mig.mode.current": "Disabled",
        "ecc.errors.corrected.volatile.total": "0",
        "ecc.errors.uncorrected.volatile.total": uncorrected,
        "ecc.errors.uncorrected.aggregate.total": uncorrected,
        "retired_pages.pending": "No",
        "remapped_rows.pending": "1" if broken["gpu-rows"] else "0",
        "remapped_rows.failure": "1" if broken["gpu-rows-failed"] else "0",
        "remapped_rows.uncorrectable": "1" if broken["gpu-rows"] else "0",
        "pcie.link.width.current": str(_LANES // 2 if broken["gpu-pcie"] else _LANES),
        "pcie.link.width.max": str(_LANES),
        "clocks.sm": "1980 MHz",
        "clocks_throttle_reasons.hw_slowdown": "Active" if broken["gpu-hot"] else "Not Active",
    }
    found: str = values.get(field, "[Not Supported]")
    return found


sys.exit(main(sys.argv[1:]))
