"""Sizes of a PCS cluster, and the one that a spec needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.pcs.groups import counts

SizeName = Literal["SMALL", "MEDIUM", "LARGE"]


class Size(NamedTuple):
    """A size and its limits (PCS API, botocore 1.44.5, CreateCluster, `size`)."""

    name: SizeName
    instances: int
    jobs: int


SIZES: Final = (
    Size("SMALL", 32, 256),
    Size("MEDIUM", 512, 8192),
    Size("LARGE", 2048, 16_384),
)
"""From the smallest to the largest."""


@dataclass(frozen=True)
class Needed:
    """The most instances and jobs of a spec, and the smallest sufficient size."""

    instances: int
    jobs: int
    size: Size | None
    """None if not even the largest one is sufficient."""

    @property
    def reason(self) -> str:
        """Return why it is this size: `33 instances need MEDIUM (512); 256 jobs fit in SMALL`."""
        return "; ".join(
            (
                _phrase(self.instances, "instances", smallest(instances=self.instances)),
                _phrase(self.jobs, "jobs", smallest(jobs=self.jobs)),
            )
        )


def smallest(*, instances: int = 0, jobs: int = 0) -> Size | None:
    """Return the smallest size for a number of instances and jobs; None if there is none."""
    return next(
        (size for size in SIZES if size.instances >= instances and size.jobs >= jobs), None
    )


def needed(cluster: Cluster) -> Needed:
    """Return what a spec needs. Instances of login groups count as those of jobs."""
    instances = sum(counts(group).maximum for group in cluster.compute)
    jobs = cluster.pcs.max_jobs
    return Needed(instances, jobs, smallest(instances=instances, jobs=jobs))


def size_of(cluster: Cluster) -> SizeName:
    """Return the size of the cluster: that of the spec, else the smallest sufficient one.

    The validation refuses a spec without a sufficient size.
    """
    if cluster.pcs.size is not None:
        return cluster.pcs.size
    size = needed(cluster).size
    return (size or SIZES[-1]).name


def _phrase(number: int, what: str, size: Size | None) -> str:
    if size is None:
        return f"{number:,} {what} exceed {SIZES[-1].name} ({getattr(SIZES[-1], what):,})"
    return f"{number:,} {what} need {size.name} ({getattr(size, what):,})"
