"""The versions of drivers and libraries on this node, without those that are not found."""

from __future__ import annotations

import json
from typing import Any

from clusterwright_common.installed_versions import SECONDS, installed

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
    "dcgm": "DCGM",
    "kernel": "kernel",
    "os": "operating system",
    "lustre_client": "Lustre client",
    "slurm": "Slurm",
    "munge": "munge",
    "enroot": "enroot",
}


def versions(node: Node) -> dict[str, str]:
    """Keys of NAMES to versions. Of several NCCLs the one that the linker finds first."""

    def said(program: str, *arguments: str) -> str:
        return _said(node, program, *arguments)

    return installed(node.machine.read_text, node.machine.listing, said)


def reported(node: Node) -> dict[str, str]:
    """The result of the step software_versions on this node; empty if it did not run."""
    try:
        value: Any = json.loads(node.machine.read_text(REPORT) or "null")
        found: dict[str, str] = value["versions"]
    except (ValueError, TypeError, KeyError):
        return {}
    return {key: version for key, version in found.items() if version != "unknown"}


def _said(node: Node, program: str, *arguments: str) -> str:
    is_there = (
        node.machine.exists(program)
        if program.startswith("/")
        else node.machine.has_command(program)
    )
    if not is_there:
        return ""
    try:
        result = node.machine.query(program, *arguments, timeout_seconds=SECONDS)
    except CommandError:
        return ""
    return result.stdout + result.stderr
