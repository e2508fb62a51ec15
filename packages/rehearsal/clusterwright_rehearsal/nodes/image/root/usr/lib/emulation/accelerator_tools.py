#!/usr/bin/python3 -SE
"""Emulates fi_info, neuron-ls and dcgmi: the number of devices and their health.

The output was not compared with a real machine; other fields are missing.
"""

from __future__ import annotations

import json
import os
import sys

import hardware

_CLASS = "/sys/class/infiniband"


def _fi_info() -> int:
    try:
        devices = sorted(os.listdir(_CLASS))
    except FileNotFoundError:
        devices = []
    if not devices:
        print("fi_getinfo: -61 (No data available)", file=sys.stderr)
        return 61
    for device in devices:
        print(f"provider: efa\n    fabric: efa\n    domain: {device}-rdm\n    version: emulated")
        print("    type: FI_EP_RDM\n    protocol: FI_PROTO_EFA")
    return 0


def _neuron_ls(argv: list[str]) -> int:
    machine = hardware.hardware()["accelerator"]
    if machine["kind"] != "neuron":
        print("neuron-ls: no neuron device found", file=sys.stderr)
        return 1
    lost = {int(word) for word in (hardware.fault("neuron-lost") or "").split()}
    devices = [
        {"neuron_device": index, "nc_count": 2, "bdf": hardware.pci_address(index)}
        for index in range(machine["count"])
        if index not in lost
    ]
    if "-j" in argv or "--json-output" in argv:
        print(json.dumps(devices))
    else:
        for device in devices:
            print(f"neuron{device['neuron_device']}  {device['bdf']}")
    return 0


def _dcgmi(argv: list[str]) -> int:
    machine = hardware.hardware()["accelerator"]
    if machine["kind"] != "nvidia" or hardware.fault("dcgm") is not None:
        print("Error: unable to establish a connection to the specified host: localhost")
        return 255
    if argv[:1] == ["discovery"]:
        print(f"{machine['count']} GPUs found.")
        return 0
    broken = [name for name in ("gpu-lost", "gpu-ecc", "gpu-rows") if hardware.fault(name)]
    print(f"emulated dcgmi {' '.join(argv)}: {'Fail: ' + ', '.join(broken) if broken else 'Pass'}")
    return 226 if broken else 0


_program = os.path.basename(sys.argv[0])
if _program == "fi_info":
    sys.exit(_fi_info())
sys.exit(_neuron_ls(sys.argv[1:]) if _program == "neuron-ls" else _dcgmi(sys.argv[1:]))
