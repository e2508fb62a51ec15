"""The versions of drivers and libraries on this node, without those that are not found."""

from __future__ import annotations

import json
import re
from typing import Any

from clusterwright_node.errors import CommandError
from clusterwright_node.node import Node

REPORT = "/var/lib/clusterwright/software.json"
CUDA_COMPAT = "/usr/local/cuda/compat"
NAMES = {
    "nvidia_driver": "NVIDIA driver",
    "fabric_manager": "Fabric Manager",
    "cuda": "CUDA",
    "neuron_driver": "Neuron driver",
    "efa_driver": "EFA driver",
    "efa_installer": "EFA installer",
    "libfabric": "libfabric",
    "aws_ofi_nccl": "aws-ofi-nccl",
    "nccl": "NCCL",
}

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


def versions(node: Node) -> dict[str, str]:
    """Keys of NAMES to versions. Of several NCCLs the one that the linker finds first."""
    read = node.machine.read_text
    packages = read(_EFA_PACKAGES) or ""
    found = {
        # kernel-open/nvidia/nv-procfs.c of NVIDIA/open-gpu-kernel-modules writes this line.
        "nvidia_driver": _match(
            r"NVRM version:.*?Kernel Module(?: for \S+)?\s+(\d[\d.]*)",
            read("/proc/driver/nvidia/version"),
        ),
        "fabric_manager": _match(
            r"Fabric Manager version is\s*:\s*(\d[\d.]*)", _said(node, "nv-fabricmanager")
        ),
        "cuda": _cuda(read("/usr/local/cuda/version.json")),
        "neuron_driver": _match(r"(\S+)", read("/sys/module/neuron/version")),
        "efa_driver": _match(r"(\S+)", read("/sys/module/efa/version")),
        "efa_installer": _match(r"EFA installer version:\s*(\S+)", packages),
        "libfabric": _match(r"(?m)^libfabric:\s*(\S+)", _said(node, _FI_INFO)),
        "aws_ofi_nccl": _match(
            r"(?:libnccl-ofi|aws-ofi-nccl)(?:-[a-z]+)*[-_](\d+\.\d+\.\d+)", packages
        ),
        "nccl": _nccl(node),
    }
    return {key: value for key, value in found.items() if value is not None}


def reported(node: Node) -> dict[str, str]:
    """The result of the step software_versions on this node; empty if it did not run."""
    try:
        value: Any = json.loads(node.machine.read_text(REPORT) or "null")
        found: dict[str, str] = value["versions"]
    except (ValueError, TypeError, KeyError):
        return {}
    return {key: version for key, version in found.items() if version != "unknown"}


def _match(pattern: str, text: str | None) -> str | None:
    match = re.search(pattern, text or "")
    return match.group(1) if match else None


def _said(node: Node, program: str) -> str:
    is_there = (
        node.machine.exists(program)
        if program.startswith("/")
        else node.machine.has_command(program)
    )
    if not is_there:
        return ""
    try:
        result = node.machine.query(program, "--version", timeout_seconds=5.0)
    except CommandError:
        return ""
    return result.stdout + result.stderr


def _cuda(text: str | None) -> str | None:
    try:
        value: Any = json.loads(text or "null")
        version = value["cuda"]["version"]
    except (ValueError, TypeError, KeyError):
        return None
    return version if isinstance(version, str) else None


def _nccl(node: Node) -> str | None:
    for folder in _NCCL_FOLDERS:
        for name in node.machine.listing(folder):
            match = re.fullmatch(r"libnccl\.so\.(\d+\.\d+\.\d+)", name)
            if match:
                return match.group(1)
    return None
