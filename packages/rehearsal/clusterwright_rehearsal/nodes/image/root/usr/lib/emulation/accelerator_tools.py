#!/usr/bin/python3 -SE
"""Emulates fi_info, fi_pingpong, neuron-ls and dcgmi: the number of devices and their health.

The output was not compared with a real machine; other fields are missing. The table of fi_pingpong
is that of libfabric (util/pingpong.c); its traffic moves the counters of the device. `dcgmi diag
--json` prints one of the three forms that versions of DCGM have. `dcgmi dmon` has a value for each
field that the nodes' exporter asks for, in the order of -e; N/A for others. Its errors grow with
the time, so that they grow as long as their fault is there.

Faults: `neuron-lost` (indices), `dcgm` (no connection to the host engine), `dcgm-form` (1, 2 or 3:
the form of the JSON), `efa-pingpong` (devices whose ping-pong fails); for dmon, with indices of
GPUs, `gpu-busy` (utilised, but no tensor core is active), `gpu-hot`, `gpu-rows`,
`gpu-rows-failed`, and with `GPU:LINK` words `nvlink-errors`.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from typing import Any

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


def _fi_pingpong(argv: list[str]) -> int:
    if "-P" not in argv:  # the server waits for its client
        time.sleep(60.0)
        return 1
    device = argv[argv.index("-d") + 1].removesuffix("-rdm")
    if device in (hardware.fault("efa-pingpong") or "").split():
        print("fi_endpoint(): util/pingpong.c:1639, ret=-12 (Cannot allocate memory)")
        return 12
    path = f"{_CLASS}/{device}/ports/1/hw_counters/tx_bytes"
    with open(path, encoding="utf-8") as file:
        sent = int(file.read())
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{sent + 4096}\n")
    print("bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec")
    print("64      10      =10      1.2k        0.00s      7.13       8.97       0.11")
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
    if argv[:1] == ["dmon"]:
        return _dmon(argv, machine)
    broken = [name for name in ("gpu-lost", "gpu-ecc", "gpu-rows") if hardware.fault(name)]
    if "-j" in argv or "--json" in argv:
        print(json.dumps(_diagnostic(machine["count"]), indent=1))
        return 226 if broken else 0
    print(f"emulated dcgmi {' '.join(argv)}: {'Fail: ' + ', '.join(broken) if broken else 'Pass'}")
    return 226 if broken else 0


def _dmon(argv: list[str], machine: dict[str, Any]) -> int:
    fields = argv[argv.index("-e") + 1].split(",")
    print("#Entity   " + "  ".join(fields))
    print("ID")
    for index in range(machine["count"]):
        values = _fields(index, machine)
        print(f"GPU {index}     " + "  ".join(values.get(field, "N/A") for field in fields))
    return 0


def _fields(index: int, machine: dict[str, Any]) -> dict[str, str]:
    """Values by the numbers of NVIDIA's dcgm_fields.h, as the exporter of the nodes has them."""

    def has(fault: str) -> bool:
        words = (hardware.fault(fault) or "").split()
        return any(word.partition(":")[0] == str(index) for word in words)

    seconds = int(time.time())
    busy, hot = has("gpu-busy"), has("gpu-hot")
    return {
        "100": "1980",
        "140": "41",
        "150": "91" if hot else "31",
        "155": "69.120",
        "156": str(seconds * 69_120),
        "202": "0",
        "203": "100" if busy else "0",
        "204": "0",
        "230": _last_xid(index),
        "241": str(seconds) if hot else "0",
        "251": str(machine["memory_mib"]),
        "252": "0",
        "393": str(int(has("gpu-rows"))),
        "394": "0",
        "395": str(int(has("gpu-rows-failed"))),
        "409": str(seconds) if has("nvlink-errors") else "0",
        "449": "0",
        "1001": "1.000" if busy else "0.000",
        "1002": "1.000" if busy else "0.000",
        "1004": "0.000",
        "1005": "0.000",
    }


def _last_xid(index: int) -> str:
    """The code of the GPU's last Xid message in the machine's kernel log; 0 without one."""
    bus = hardware.pci_address(index).rpartition(".")[0]
    try:
        with open(hardware.STATE + "/kernel.log", encoding="utf-8") as file:
            codes = re.findall(rf"Xid \(PCI:{re.escape(bus)}[^)]*\): (\d+)", file.read())
    except FileNotFoundError:
        codes = []
    return codes[-1] if codes else "0"


def _diagnostic(count: int) -> dict[str, object]:
    """The memory test of each GPU, in one of the three forms."""
    bad = {int(word) for word in (hardware.fault("gpu-ecc") or "").split()}
    results: list[dict[str, object]] = [
        {"gpu_ids": str(index), "status": "Pass"} for index in range(count) if index not in bad
    ]
    for index in sorted(bad):
        warning = {"warning": f"Faulty memory detected on GPU {index}", "error_id": 52}
        results.append({"gpu_ids": str(index), "status": "Fail", "warnings": [warning]})
    tests = [{"name": "GPU Memory", "results": results}]
    categories = [{"category": "Hardware", "tests": tests}]
    form = hardware.fault("dcgm-form") or "1"
    if form == "3":
        return {"tests": tests}
    if form == "2":
        return {"categories": categories}
    return {"DCGM GPU Diagnostic": {"test_categories": categories, "version": "emulated"}}


_program = os.path.basename(sys.argv[0])
if _program == "fi_info":
    sys.exit(_fi_info())
if _program == "fi_pingpong":
    sys.exit(_fi_pingpong(sys.argv[1:]))
sys.exit(_neuron_ls(sys.argv[1:]) if _program == "neuron-ls" else _dcgmi(sys.argv[1:]))
