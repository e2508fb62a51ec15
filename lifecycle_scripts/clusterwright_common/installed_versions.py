"""The versions of drivers and libraries of a machine, without those that are not found.

The node program records them, and acceptance reads them again: an update does not run the node
program.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Optional, Protocol

_FI_INFO = "/opt/amazon/efa/bin/fi_info"
_EFA_PACKAGES = "/opt/amazon/efa_installed_packages"
_NCCL_FOLDERS = (
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/local/cuda/lib",
    "/usr/local/cuda/lib64",
    "/opt/nccl/build/lib",
)
SECONDS = 5.0
"""For one program: each prints its version at once."""


class Said(Protocol):
    """What a program prints, on both outputs; empty without it, or if it does not end in time."""

    def __call__(self, program: str, *arguments: str) -> str: ...


def installed(
    read: Callable[[str], Optional[str]], names: Callable[[str], Sequence[str]], said: Said
) -> dict[str, str]:
    """Versions by component. Of several NCCLs the one that the linker finds first.

    `read` gives the text of a file or None, `names` the names in a folder.
    """
    packages = read(_EFA_PACKAGES) or ""
    found = {
        # kernel-open/nvidia/nv-procfs.c of NVIDIA/open-gpu-kernel-modules writes this line.
        "nvidia_driver": _match(
            r"NVRM version:.*?Kernel Module(?: for \S+)?\s+(\d[\d.]*)",
            read("/proc/driver/nvidia/version"),
        ),
        "fabric_manager": _match(
            r"Fabric Manager version is\s*:\s*(\d[\d.]*)",
            said("nv-fabricmanager", "--version"),
        ),
        "cuda": _cuda(read("/usr/local/cuda/version.json")),
        "neuron_driver": _match(r"(\S+)", read("/sys/module/neuron/version")),
        "efa_driver": _match(r"(\S+)", read("/sys/module/efa/version")),
        "efa_installer": _match(r"EFA installer version:\s*(\S+)", packages),
        "libfabric": _match(r"(?m)^libfabric:\s*(\S+)", said(_FI_INFO, "--version")),
        "aws_ofi_nccl": _match(
            r"(?:libnccl-ofi|aws-ofi-nccl)(?:-[a-z]+)*[-_](\d+\.\d+\.\d+)", packages
        ),
        "nccl": _nccl(names),
        "dcgm": _match(r"(?m)^Version\s*:\s*(\d[\d.]*)", said("dcgmi", "--version")),
        "kernel": _match(r"(\S+)", read("/proc/sys/kernel/osrelease")),
        "os": _os(read("/etc/os-release")),
        "lustre_client": _match(r"(\S+)", read("/sys/module/lustre/version")),
        "slurm": _match(r"slurm\S* (\d[\d.]*)", said("slurmd", "-V")),
        "munge": _match(r"munge-(\d[\d.]*)", said("munge", "--version")),
        "enroot": _match(r"(?m)^(\d+\.\d+\.\d+)", said("enroot", "version")),
    }
    return {key: value for key, value in found.items() if value is not None}


def _match(pattern: str, text: Optional[str]) -> Optional[str]:
    match = re.search(pattern, text or "")
    return match.group(1) if match else None


def _os(text: Optional[str]) -> Optional[str]:
    """`ubuntu-22.04` from os-release(5)."""
    fields = dict(re.findall(r'(?m)^(ID|VERSION_ID)="?([^"\n]*)"?$', text or ""))
    return f"{fields['ID']}-{fields['VERSION_ID']}" if len(fields) == 2 else None


def _cuda(text: Optional[str]) -> Optional[str]:
    try:
        value: Any = json.loads(text or "null")
        version = value["cuda"]["version"]
    except (ValueError, TypeError, KeyError):
        return None
    return version if isinstance(version, str) else None


def _nccl(names: Callable[[str], Sequence[str]]) -> Optional[str]:
    for folder in _NCCL_FOLDERS:
        for name in names(folder):
            match = re.fullmatch(r"libnccl\.so\.(\d+\.\d+\.\d+)", name)
            if match:
                return match.group(1)
    return None
