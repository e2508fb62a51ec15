"""Partitions of NVIDIA GPUs (MIG) that HyperPod's GPU operator makes, as data.

A layout is a value of the node label `nvidia.com/mig.config`; HyperPod sets the label from
`KubernetesConfig.Labels` and the operator in its Helm chart partitions every GPU of the node
(SageMaker developer guide, "Node Lifecycle and Labels" of GPU partitions, read 2026-11).

Sources: layouts are those of aws/sagemaker-hyperpod-cli,
helm_chart/HyperPodHelmChart/charts/gpu-operator/config/default-mig-config.yaml, commit 25d5609;
which partitions a type has, src/sagemaker/hyperpod/training/constants.py of the same repository,
commit 2d082e9. The g7e types are from the comments of the first file. p6-b200 and p6e-gb200 are in
the second file, but the first has no layout for them; p5.4xlarge is in neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path, Problem
from clusterwright.cluster_spec.suggest import did_you_mean

LABEL: Final = "nvidia.com/mig.config"

_H100 = ("1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb")
_H200 = ("1g.18gb", "1g.35gb", "2g.35gb", "3g.71gb", "4g.71gb", "7g.141gb")
_RTX_PRO_6000 = ("1g.24gb", "2g.48gb", "4g.96gb")

PARTITIONS: Final[dict[str, tuple[str, ...]]] = {
    "p4d.24xlarge": ("1g.5gb", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"),
    "p4de.24xlarge": _H100,
    "p5.48xlarge": _H100,
    "p5e.48xlarge": _H200,
    "p5en.48xlarge": _H200,
    "p6-b300.48xlarge": ("1g.34gb", "1g.67gb", "2g.67gb", "3g.135gb", "4g.135gb", "7g.269gb"),
    **{f"g7e.{size}xlarge": _RTX_PRO_6000 for size in (2, 4, 8, 12, 24, 48)},
}
"""Partitions that the GPUs of an EC2 type can have; for an absent type none is known.

The two files disagree on p4de (A100 of 80 GB): its partitions here are those of 80 GB.
"""

_SIZES = (
    ("1g.10gb", "2g.20gb", "3g.40gb", "4g.40gb"),
    ("1g.5gb", "2g.10gb", "3g.20gb", "4g.20gb"),
)
_SIZES_H200 = ("1g.18gb", "2g.35gb", "3g.71gb", "4g.71gb")
_MIXES = (
    "mixed-1-{3}-1-{4}",
    "mixed-1-{1}-1-{2}-1-{4}",
    "mixed-3-{1}-1-{4}",
    "mixed-1-{1}-1-{2}-1-{3}",
    "mixed-3-{1}-1-{3}",
    "mixed-2-{2}-1-{3}",
    "mixed-2-{1}-1-{2}-1-{3}",
    "mixed-4-{1}-1-{3}",
    "mixed-1-{1}-3-{2}",
    "mixed-3-{1}-2-{2}",
    "mixed-5-{1}-1-{2}",
)
_EQUAL: Final = {
    "1g.10gb": 7,
    "1g.5gb": 7,
    "1g.18gb": 7,
    "3g.40gb": 2,
    "3g.20gb": 2,
    "3g.71gb": 2,
    "7g.80gb": 1,
    "7g.40gb": 1,
    "7g.141gb": 1,
    "1g.24gb": 4,
    "2g.48gb": 2,
    "4g.96gb": 1,
    "1g.67gb": 4,
}
"""Number of partitions per GPU in each layout `all-<partition>` (the first file)."""

LAYOUTS: Final = frozenset(
    {
        *(f"all-{partition}" for partition in _EQUAL),
        *(mix.format("", *sizes) for mix in _MIXES for sizes in (*_SIZES, _SIZES_H200)),
        "mixed-2-1g.24gb-1-2g.48gb",
        "mixed-2-1g.34gb-1-2g.67gb-1-3g.135gb",
    }
)
"""Names of layouts; each GPU of the node is partitioned in the same way."""


def partitions_of(layout: str) -> tuple[str, ...]:
    """Return the partitions of a layout: `mixed-1-3g.40gb-1-4g.40gb` → `3g.40gb`, `4g.40gb`."""
    return tuple(re.findall(r"[0-9]+g\.[0-9]+gb", layout))


def partitions_per_gpu(layout: str) -> dict[str, int]:
    """Return the number of each partition per GPU: `mixed-3-1g.10gb-1-4g.40gb` → 3 and 1.

    For mixed layouts they are part of the name. Raises KeyError if a layout is not in `LAYOUTS`.
    """
    if layout not in LAYOUTS:
        raise KeyError(layout)
    mixed = re.findall(r"([0-9]+)-([0-9]+g\.[0-9]+gb)", layout.removeprefix("mixed"))
    if layout.startswith("mixed-"):
        return {partition: int(count) for count, partition in mixed}
    partition = layout.removeprefix("all-")
    return {partition: _EQUAL[partition]}


def resource(partition: str) -> str:
    """Return the Kubernetes resource of a partition: `1g.10gb` → `nvidia.com/mig-1g.10gb`.

    The device plugin with the strategy `mixed` (NVIDIA/k8s-device-plugin, README), which the GPU
    operator of HyperPod's chart sets (charts/gpu-operator/values.yaml, commit 438dbe9).
    """
    return f"nvidia.com/mig-{partition}"


def quota_type(partition: str) -> str:
    """Return its name in compute quotas (MIGProfileType, botocore 1.44.5): `mig-1g.10gb`."""
    return f"mig-{partition}"


def layouts_for(instance_type: str) -> list[str]:
    """Return the layouts that the GPUs of an EC2 type can have, sorted by name."""
    own = PARTITIONS.get(instance_type, ())
    return sorted(
        layout
        for layout in LAYOUTS
        if set(partitions_of(layout)) <= set(own) and _fits(layout, own)
    )


def _fits(layout: str, own: tuple[str, ...]) -> bool:
    """Return whether the partitions fit on the GPU together.

    `all-1g.10gb` creates seven, for which an A100 of 40 GB has too little memory although it can
    have one partition of that size. Sizes in names are rounded, hence one gigabyte of tolerance
    for each.
    """
    parts = partitions_per_gpu(layout)
    memory_gb = sum(count * _memory_gb(partition) for partition, count in parts.items())
    return memory_gb <= max(map(_memory_gb, own), default=0) + sum(parts.values())


def _memory_gb(partition: str) -> int:
    return int(partition.partition(".")[2].removesuffix("gb"))


def problems(cluster: Cluster) -> Iterator[Problem]:
    """Yield layouts that the accelerators of a group do not support."""
    for index, group in enumerate(cluster.compute):
        if group.mig_profile is None:
            continue
        here: Path = ("compute", index, "mig_profile")
        known = layouts_for(group.instance_type)
        other: Path = ("compute", index, "instance_type")
        if not known:
            yield Problem(
                f"no MIG layout is known for {group.instance_type}",
                here,
                hint=f"types with layouts: {', '.join(t for t in PARTITIONS if layouts_for(t))}",
                other_path=other,
            )
        elif group.mig_profile not in known:
            yield Problem(
                f"{group.instance_type} has no layout {group.mig_profile}",
                here,
                hint=did_you_mean(group.mig_profile, known)
                or f"supported layouts: {', '.join(known)}",
                other_path=other,
            )
