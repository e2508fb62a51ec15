"""Incompatible versions of drivers and libraries, each rule with its source.

Combinations without a source are "unknown" and no error, such as releases newer than the table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

WORKS, REFUSED, UNKNOWN = "works", "refused", "unknown"

_CUDA_SOURCE = (
    "NVIDIA, CUDA Compatibility, minor version compatibility, table 1"
    " (docs.nvidia.com/deploy/cuda-compatibility, read 2026-11-21)"
)
_LOWEST_DRIVER = {11: (450,), 12: (525,), 13: (580,)}
"""CUDA's major version to the lowest driver for it."""

_FABRIC_MANAGER_SOURCE = (
    "NVIDIA, Fabric Manager User Guide: the service ends when the loaded driver is another version"
    " (docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide; quoted by"
    " ai-infrastructure.net/fabric-manager, read 2026-11-21)"
)
# Those that AWS's pages say have NVSwitch.
_NVSWITCH_TYPES = frozenset(
    ("p4d.24xlarge", "p4de.24xlarge", "p5.48xlarge", "p5e.48xlarge", "p5en.48xlarge")
)

_PLUGIN_SOURCE = "aws/aws-ofi-nccl, release notes of v{} (read 2026-11-21)"
_PLUGIN_NEEDS = {
    "1.8.1": ((1, 18, 0), (2, 4, 8)),
    "1.9.0": ((1, 18, 0), (2, 4, 8)),
    "1.9.1": ((1, 18, 0), (2, 4, 8)),
    "1.21.1": ((1, 11, 0), (2, 17, 1)),
}
"""The plug-in's release to the lowest supported libfabric and NCCL."""


@dataclass(frozen=True)
class Finding:
    """The result of a rule. `text` has the compared versions, `hint` what to do if it fails."""

    rule: str
    verdict: str
    text: str
    source: str
    hint: str = ""


def judge(
    versions: Mapping[str, str], instance_type: str, has_cuda_compat: bool = False
) -> list[Finding]:
    """The results of all rules for the versions that were found on a node.

    `versions` has the keys of `clusterwright_node.software`; missing ones were not found.
    `has_cuda_compat`: NVIDIA's forward compatibility package is installed, with which older
    drivers are allowed.
    """
    return [
        _fabric_manager(versions, instance_type),
        _cuda(versions, has_cuda_compat),
        _plugin(versions, "libfabric", 0),
        _plugin(versions, "nccl", 1),
    ]


def numbers(version: str) -> tuple[int, ...]:
    """`2.6.0amzn1.0` as (2, 6, 0): what the releases' own notes compare."""
    match = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in match.group().split(".")) if match else ()


def _fabric_manager(versions: Mapping[str, str], instance_type: str) -> Finding:
    rule = "Fabric Manager has the same version as the driver"
    driver, manager = versions.get("nvidia_driver"), versions.get("fabric_manager")
    text = f"driver {driver or 'not found'}, Fabric Manager {manager or 'not found'}"
    if driver is None or manager is None:
        return Finding(rule, UNKNOWN, text, _FABRIC_MANAGER_SOURCE)
    verdict = WORKS
    if numbers(driver) != numbers(manager):
        verdict = REFUSED if instance_type in _NVSWITCH_TYPES else UNKNOWN
    hint = "use an image with equal versions of both, or install the matching one"
    return Finding(rule, verdict, text, _FABRIC_MANAGER_SOURCE, hint)


def _cuda(versions: Mapping[str, str], has_cuda_compat: bool) -> Finding:
    rule = "the driver is new enough for CUDA"
    driver, cuda = versions.get("nvidia_driver"), versions.get("cuda")
    text = f"driver {driver or 'not found'}, CUDA {cuda or 'not found'}"
    lowest = _LOWEST_DRIVER.get(numbers(cuda)[0]) if cuda and numbers(cuda) else None
    if driver is None or lowest is None:
        return Finding(rule, UNKNOWN, text, _CUDA_SOURCE)
    if numbers(driver) >= lowest:
        return Finding(rule, WORKS, text, _CUDA_SOURCE)
    if has_cuda_compat:
        return Finding(rule, UNKNOWN, text + ", with the CUDA compat package", _CUDA_SOURCE)
    hint = f"CUDA {numbers(str(cuda))[0]} requires driver {lowest[0]} or newer; use another image"
    return Finding(rule, REFUSED, text, _CUDA_SOURCE, hint)


def _plugin(versions: Mapping[str, str], library: str, column: int) -> Finding:
    names = {"libfabric": "libfabric", "nccl": "NCCL"}
    rule = f"{names[library]} is new enough for aws-ofi-nccl"
    plugin, found = versions.get("aws_ofi_nccl"), versions.get(library)
    text = f"aws-ofi-nccl {plugin or 'not found'}, {names[library]} {found or 'not found'}"
    needs = _PLUGIN_NEEDS.get(".".join(str(part) for part in numbers(plugin or "")))
    if found is None or needs is None:
        return Finding(rule, UNKNOWN, text, "")
    lowest = needs[column]
    hint = "it requires {} or newer; use another image".format(".".join(map(str, lowest)))
    verdict = WORKS if numbers(found) >= lowest else REFUSED
    return Finding(rule, verdict, text, _PLUGIN_SOURCE.format(plugin), hint)
