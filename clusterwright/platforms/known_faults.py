"""Faults of releases that their makers or users have published, and which clusters meet them.

One line per thread, read 2026-11-21. A release that is refused for another reason is said with its
faults too; a release that is taken is held against them by CW-I017. A fault that no release has
ended has no `last`. What a maker has not published is not here: no fault found is no promise.
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
    """What is wrong with a run of releases, `first` and `last` among them."""

    thread: str
    what: str
    first: Release
    last: Release | None
    concerns: Callable[[Cluster], bool] = _everywhere
    """Whether the cluster has what the fault needs."""
    is_fatal: bool = False
    """Whether nothing works where it is met: then the spec is refused."""

    def has(self, release: Release) -> bool:
        return self.first <= release and (self.last is None or release <= self.last)


def of_parallelcluster(cluster: Cluster) -> Iterator[Fault]:
    """The faults that the cluster would meet with the release that the spec names."""
    release = tuple(int(part) for part in cluster.parallelcluster.version.split("."))
    return (f for f in PARALLELCLUSTER if f.has(release) and f.concerns(cluster))


def of_hyperpod_image(cluster: Cluster, released: datetime.date) -> Iterator[Fault]:
    """The faults that the cluster would meet with an image of that day."""
    day = (released.year, released.month, released.day)
    return (f for f in HYPERPOD_IMAGES if f.has(day) and f.concerns(cluster))


def of_chart(cluster: Cluster, chart: str, version: str) -> Iterator[Fault]:
    """The faults that the cluster would meet with that version (`v0.5.9`, `0.5.9-rc1`)."""
    release = tuple(int(part) for part in re.findall(r"[0-9]+", version)[:3])
    return (f for f in CHARTS.get(chart, ()) if f.has(release) and f.concerns(cluster))


def of_some_hyperpod_image(cluster: Cluster) -> Iterator[Fault]:
    """The faults that the cluster would meet with an image of some day or other."""
    return (fault for fault in HYPERPOD_IMAGES if fault.concerns(cluster))


def _types(cluster: Cluster) -> Iterator[str]:
    return (group.instance_type for group in cluster.compute if group.role == "compute")


def _has_family(*families: str) -> Callable[[Cluster], bool]:
    """`p4` stands for p4d and p4de too."""
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
        "a change of subnet or security group makes a new Lustre file system and deletes the old",
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
        _PC + "3777", "clusters without a way to the internet", (3, 1, 1), (3, 1, 1), _is_closed
    ),
    Fault(
        _PC + "5295",
        "nodes with GPUs do not come back after `scontrol reboot`",
        (3, 2, 0),
        (3, 5, 1),
        _has_nvidia,
    ),
    Fault(_PC + "4781", "names and addresses of nodes are exchanged", (3, 3, 0), (3, 4, 0)),
    Fault(
        _PC + "5151",
        "an update of the scheduler's settings breaks accounting",
        (3, 3, 0),
        (3, 5, 1),
        _has_accounting,
    ),
    Fault(
        _PC + "6211",
        "an update that takes storage away can delete the data on it",
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
        "the published images have NVIDIA's open driver, which P2, P3, G2 and G3 do not have",
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
        "new nodes are told wrong addresses, and are replaced in a loop",
        (3, 9, 0),
        (3, 9, 2),
    ),
    Fault(_PC + "6412", "updates fail from time to time", (3, 9, 0), (3, 10, 1)),
    Fault(
        _PC + "6817",
        "a coordinator can become administrator of accounting (CVE-2025-43904)",
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
        "NVIDIA's fabric manager does not start on P4, and no job runs",
        (3, 11, 0),
        (3, 11, 99),
        _is_al2023_with_p4,
    ),
    Fault(
        _PC + "7601",
        "eight security holes of Slurm (CVE-2026-65107 and others)",
        (3, 0, 0),
        (3, 16, 0),
    ),
)
"""Of ParallelCluster's releases, in the order of their first."""

HYPERPOD_IMAGES: Final = (
    Fault(
        "awslabs/awsome-distributed-ai#197",
        "auto-resume does not work where Slurm counts GPUs (GRES)",
        (0,),
        (2024, 7, 31),
        _resumes_with_gres,
    ),
)
"""Of HyperPod's images, by the day of their release. The last is the day before the month that
AWS's documentation names (awslabs/ai-on-sagemaker-hyperpod, 08-gres: before August 2024)."""

CHARTS: Final = {
    "aws-efa-k8s-device-plugin": (
        Fault(
            "aws/sagemaker-hyperpod-cli#282",
            "NVLink's controllers of P6-B200 are given to pods as EFA devices, and NCCL fails",
            (0, 0, 0),
            (0, 5, 9),
            _has_family("p6-b200"),
        ),
    ),
}
"""Of charts that a spec may pin, by name; on HyperPod its own chart brings them."""
