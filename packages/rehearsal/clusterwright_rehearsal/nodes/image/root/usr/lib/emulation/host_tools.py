#!/usr/bin/python3 -SE
"""lscpu and free with the CPUs and the memory of the instance type.

Changed are `lscpu --online --parse=CPU,CORE,SOCKET` and `free --bytes`; other calls are passed to
the real programs, which show the host. The layout is that of util-linux and procps. All CPUs are
in one socket, and the kernel keeps 3 % of the memory: both are assumptions.

Faults: `cpu-offline`, with the numbers of the CPUs; `memory-lost`, with GiB.
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import hardware

_KEPT_BY_KERNEL = 0.03


def main(argv: list[str]) -> int:
    program = os.path.basename(argv[0])
    if program == "lscpu" and any(word.lower() == "--parse=cpu,core,socket" for word in argv):
        return _lscpu(argv[1:])
    if program == "free" and argv[1:] in (["--bytes"], ["-b"]):
        return _free()
    return _real(program, argv)


def _real(program: str, argv: list[str]) -> NoReturn:
    os.execv(f"/usr/bin/{program}.real", argv)


def _lscpu(words: list[str]) -> int:
    found = hardware.hardware()
    cpus, cores = int(found["cpus"]), int(found.get("cores") or found["cpus"])
    online_only = "--online" in words or "-b" in words
    offline = (hardware.fault("cpu-offline") or "").split() if online_only else []
    print("# The following is the parsable format, which can be fed to other")
    print("# programs. Each different item in every column has an unique ID")
    print("# starting usually from zero.")
    print("# CPU,Core,Socket")
    for cpu in range(cpus):
        if str(cpu) not in offline:
            print(f"{cpu},{cpu % cores},0")
    return 0


def _free() -> int:
    gib = float(hardware.hardware().get("memory_gib") or 1)
    gib -= float(hardware.fault("memory-lost") or 0)
    total = int(gib * 2**30 * (1 - _KEPT_BY_KERNEL))
    used = total // 100
    names = ("total", "used", "free", "shared", "buff/cache", "available")
    print(" " * 9 + " ".join(f"{name:>11}" for name in names))
    row = (total, used, total - used, 0, 0, total - used)
    print(f"{'Mem:':<9}" + " ".join(f"{value:>11}" for value in row))
    print(f"{'Swap:':<9}" + " ".join(f"{0:>11}" for _ in range(3)))
    return 0


sys.exit(main(sys.argv))
