#!/usr/bin/python3 -SE
"""Mounts the machine's instance store at /opt/dlami/nvme, as the image's dlami-nvme.service does.

A folder on the host replaces the array of NVMe disks; it is deleted with the instance.
"""

from __future__ import annotations

import os
import subprocess

import hardware

_TARGET = "/opt/dlami/nvme"
_DISK = "/srv/instance-store"

if hardware.hardware()["nvme"]["count"]:
    os.makedirs(_TARGET, exist_ok=True)
    os.chmod(_DISK, 0o1777)
    if not os.path.ismount(_TARGET):
        subprocess.run(["/usr/bin/mount", "--bind", _DISK, _TARGET], check=True)
