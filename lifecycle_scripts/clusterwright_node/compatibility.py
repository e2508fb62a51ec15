"""Incompatible versions on a node: what was found, compared with the table and with the spec.

The table is `software.json` beside this module. Combinations without a source are "unknown" and no
error, such as releases newer than the table.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from clusterwright_node import software_pairs
from clusterwright_node.software_pairs import (
    END_OF_LIFE,
    REFUSED,
    UNKNOWN,
    WORKS,
    Finding,
    Surroundings,
    numbers,
)

__all__ = [
    "END_OF_LIFE",
    "REFUSED",
    "UNKNOWN",
    "WORKS",
    "Finding",
    "compare_declared",
    "judge",
    "model",
    "numbers",
]

CUDA_COMPAT = "cuda_compat"
EFA_LUSTRE = "efa_lustre"

_CLUSTER_SOFTWARE = frozenset(
    (
        *("kubernetes", "karpenter", "kueue", "vpc_cni"),
        *("nvidia_device_plugin", "efa_device_plugin"),
    )
)
"""Components of a Kubernetes cluster, which are not on nodes with Slurm."""


def model() -> dict[str, Any]:
    """The content of `software.json`."""
    path = Path(__file__).with_name("software.json")
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def judge(
    versions: Mapping[str, str], instance_type: str, features: Collection[str] = ()
) -> list[Finding]:
    """The results of all rules for the versions that were found on a node.

    `versions` has the keys of `clusterwright_node.software`; missing ones were not found.
    `features`: CUDA_COMPAT if NVIDIA's forward compatibility package is installed, with which
    older drivers are allowed; EFA_LUSTRE if a mounted Lustre file system has EFA.
    """
    found = software_pairs.evaluate(
        model(),
        {**versions, "instance_type": instance_type},
        Surroundings(features=tuple(features)),
    )
    return [each for each in found if not _CLUSTER_SOFTWARE.intersection(each.components)]


def compare_declared(
    declared: Mapping[str, str], versions: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """The declared versions that the node contradicts, and those that were not found on it.

    `2.27` agrees with 2.27.5: a declaration has as many numbers as its author cares about.
    """
    titles = model()["components"]
    different, absent = [], []
    for component, version in sorted(declared.items()):
        found = versions.get(component)
        if found is None:
            absent.append(f"{titles.get(component, component)} {version}")
        elif software_pairs.matches(version, found) is not True:
            different.append(
                f"{titles.get(component, component)} is {found}, declared is {version}"
            )
    return different, absent
