"""Published faults of releases, and which clusters they affect.

One entry per issue, read 2026-11-21. Rule CW-I017 compares supported releases with them; the
message that refuses a release also lists its faults. A fault without a fixed release has no
`last`. Unpublished faults are not here: an empty result does not mean that a release has no
faults.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms import accelerators

Release = tuple[int, ...]


def _everywhere(_: Cluster) -> bool:
    return True


@dataclass(frozen=True)
class Fault:
    """A fault of the releases from `first` to `last`, both included."""

    thread: str
    what: str
    first: Release
    last: Release | None
    concerns: Callable[[Cluster], bool] = _everywhere
    """Return whether the fault affects the cluster."""
    is_fatal: bool = False
    """Whether the cluster cannot work because of the fault, so that the spec is refused."""

    def has(self, release: Release) -> bool:
        return self.first <= release and (self.last is None or release <= self.last)


def of_parallelcluster(cluster: Cluster) -> Iterator[Fault]:
    """Return the faults of the spec's release that affect the cluster."""
    release = tuple(int(part) for part in cluster.parallelcluster.version.split("."))
    return (f for f in PARALLELCLUSTER if f.has(release) and f.concerns(cluster))


def of_hyperpod_image(cluster: Cluster, released: datetime.date) -> Iterator[Fault]:
    """Return the faults of an image released on that day that affect the cluster."""
    day = (released.year, released.month, released.day)
    return (f for f in HYPERPOD_IMAGES if f.has(day) and f.concerns(cluster))


def of_chart(cluster: Cluster, chart: str, version: str) -> Iterator[Fault]:
    """Return the faults of that version (`v0.5.9`, `0.5.9-rc1`) that affect the cluster."""
    release = tuple(int(part) for part in re.findall(r"[0-9]+", version)[:3])
    return (f for f in CHARTS.get(chart, ()) if f.has(release) and f.concerns(cluster))


def of_some_hyperpod_image(cluster: Cluster) -> Iterator[Fault]:
    """Return the faults of any image that affect the cluster."""
    return (fault for fault in HYPERPOD_IMAGES if fault.concerns(cluster))


def _types(cluster: Cluster) -> Iterator[str]:
    return (group.instance_type for group in cluster.compute if group.role == "compute")


def _has_family(*families: str) -> Callable[[Cluster], bool]:
    """`p4` includes p4d and p4de."""
    return lambda cluster: any(name.startswith(families) for name in _types(cluster))


def _has_accounting(cluster: Cluster) -> bool:
    return cluster.slurm.accounting.kind != "none"


def _has_nvidia(cluster: Cluster) -> bool:
    catalog = load_catalog()
    return any(accelerators.family(name, catalog) == "nvidia" for name in _types(cluster))


def _is_closed(cluster: Cluster) -> bool:
    return cluster.network.egress == "closed"


def _resumes_with_gres(cluster: Cluster) -> bool:
    return (
        cluster.on_hyperpod
        and cluster.uses_slurm
        and cluster.resilience.node_recovery == "automatic"
        and _has_nvidia(cluster)
    )


def _has_own_image(cluster: Cluster) -> bool:
    return cluster.image.image_id is not None


def _has_published_image_and(*families: str) -> Callable[[Cluster], bool]:
    has = _has_family(*families)
    return lambda cluster: not _has_own_image(cluster) and has(cluster)


def _is_al2023_with_p4(cluster: Cluster) -> bool:
    return cluster.parallelcluster.os == "alinux2023" and _has_family("p4")(cluster)


_PC: Final = "aws/aws-parallelcluster#"

PARALLELCLUSTER: Final = (
    Fault(
        _PC + "4651",
        "a change of subnet or security group replaces the Lustre file system and its data",
        (2, 2, 1),
        (3, 3, 0),
    ),
    Fault(_PC + "4874", "running nodes are replaced when jobs are queued", (3, 0, 0), (3, 2, 1)),
    Fault(
        _PC + "6015",
        "EFA stops working on P4 and P5 after an update of the kernel",
        (3, 0, 0),
        (3, 7, 2),
        _has_family("p4", "p5"),
    ),
    Fault(_PC + "5538", "srun can fail after the cluster has grown", (3, 0, 0), (3, 8, 99)),
    Fault(
        _PC + "7233",
        "any user can become root through munge (CVE-2026-25506)",
        (3, 0, 0),
        (3, 14, 1),
    ),
    Fault(
        _PC + "3777",
        "clusters in subnets without internet access fail",
        (3, 1, 1),
        (3, 1, 1),
        _is_closed,
    ),
    Fault(
        _PC + "5295",
        "nodes with GPUs do not return to service after `scontrol reboot`",
        (3, 2, 0),
        (3, 5, 1),
        _has_nvidia,
    ),
    Fault(
        _PC + "4781",
        "Slurm node names and addresses are swapped between nodes",
        (3, 3, 0),
        (3, 4, 0),
    ),
    Fault(
        _PC + "5151",
        "an update of the scheduler settings breaks accounting",
        (3, 3, 0),
        (3, 5, 1),
        _has_accounting,
    ),
    Fault(
        _PC + "6211",
        "an update that removes a shared storage entry can delete its data",
        (3, 3, 0),
        (3, 9, 0),
    ),
    Fault(
        _PC + "5448",
        "nodes with an image built from the Deep Learning AMI do not start",
        (3, 6, 0),
        (3, 6, 0),
        lambda cluster: _has_own_image(cluster) and _has_nvidia(cluster),
    ),
    Fault(
        _PC + "6014",
        "the published images have NVIDIA's open driver, which does not support P2, P3, G2 and G3",
        (3, 8, 0),
        None,
        _has_published_image_and("p2.", "p3.", "p3dn.", "g2.", "g3.", "g3s."),
        is_fatal=True,
    ),
    Fault(
        _PC + "6238",
        "half of the CPUs of nodes with two threads per core are never used",
        (3, 9, 0),
        (3, 9, 1),
    ),
    Fault(
        "aws-samples/genai-video-super-resolution#3",
        "new nodes get wrong addresses and are replaced in a loop",
        (3, 9, 0),
        (3, 9, 2),
    ),
    Fault(_PC + "6412", "cluster updates fail intermittently", (3, 9, 0), (3, 10, 1)),
    Fault(
        _PC + "6817",
        "an account coordinator can become Slurm administrator (CVE-2025-43904)",
        (3, 9, 0),
        (3, 13, 0),
        _has_accounting,
    ),
    Fault(
        _PC + "7095",
        "tightly coupled jobs at scale are slower",
        (3, 9, 0),
        (3, 14, 0),
    ),
    Fault(
        _PC + "6571",
        "NVIDIA's fabric manager does not start on P4, and jobs fail",
        (3, 11, 0),
        (3, 11, 99),
        _is_al2023_with_p4,
    ),
    Fault(
        _PC + "7601",
        "eight security vulnerabilities of Slurm (CVE-2026-65107 and others)",
        (3, 0, 0),
        (3, 16, 0),
    ),
)
"""Faults of ParallelCluster's releases, in the order of their first release."""

HYPERPOD_IMAGES: Final = (
    Fault(
        "awslabs/awsome-distributed-ai#197",
        "auto-resume does not work with GPUs configured in Slurm (GRES)",
        (0,),
        (2024, 7, 31),
        _resumes_with_gres,
    ),
)
"""Faults of HyperPod's images, by release date. The last date is the day before the month in AWS's
documentation (awslabs/ai-on-sagemaker-hyperpod, 08-gres: before August 2024)."""

CHARTS: Final = {
    "aws-efa-k8s-device-plugin": (
        Fault(
            "aws/sagemaker-hyperpod-cli#282",
            "NVLink controllers of P6-B200 are exposed to pods as EFA devices, and NCCL fails",
            (0, 0, 0),
            (0, 5, 9),
            _has_family("p6-b200"),
        ),
    ),
}
"""Faults of charts that a spec may pin, by name; HyperPod's chart contains them."""
