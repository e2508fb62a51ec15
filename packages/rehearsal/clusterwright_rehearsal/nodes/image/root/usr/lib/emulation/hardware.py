"""The emulated hardware of this machine, and its faults.

`/etc/emulation/hardware.json` is written before the machine starts, from the catalogue's facts of
its instance type. A fault is a file in `/run/emulation/faults`; its name is the fault, its text
the detail. It lasts until the file is deleted or the machine is rebooted. A fault in
`/etc/emulation/faults` is on the instance's disk, and lasts until the instance is replaced.
"""

from __future__ import annotations

import json
import os
from typing import Any

HARDWARE = "/etc/emulation/hardware.json"
STATE = "/run/emulation"
FAULTS = STATE + "/faults"
LASTING_FAULTS = "/etc/emulation/faults"


def hardware() -> dict[str, Any]:
    with open(HARDWARE, encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def fault(name: str) -> str | None:
    """The text of an active fault, else None."""
    for folder in (FAULTS, LASTING_FAULTS):
        try:
            with open(f"{folder}/{name}", encoding="utf-8") as file:
                return file.read().strip()
        except FileNotFoundError:
            continue
    return None


def read_state(name: str, default: Any) -> Any:
    try:
        with open(f"{STATE}/{name}.json", encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return default


def write_state(name: str, value: Any) -> None:
    os.makedirs(STATE, exist_ok=True)
    path = f"{STATE}/{name}.json"
    with open(f"{path}.{os.getpid()}", "w", encoding="utf-8") as file:
        json.dump(value, file)
    os.replace(f"{path}.{os.getpid()}", path)


def pci_address(index: int) -> str:
    """An arbitrary bus address for accelerator `index`, in the format of Linux."""
    return f"0000:{0x53 + 0x10 * (index % 8):02x}:{index // 8:02x}.0"


def uuid(index: int) -> str:
    """A GPU's UUID, which is constant for a machine and differs between machines."""
    import hashlib

    seed = f"{hardware()['instance_id']}/{index}".encode()
    digits = hashlib.sha256(seed).hexdigest()
    return f"GPU-{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:32]}"
