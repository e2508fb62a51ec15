"""Every manifest of a cluster, by part, in the order of application."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.kubernetes.acceptance import acceptance_manifests
from clusterwright.platforms.kubernetes.autoscaling import autoscaling_manifests
from clusterwright.platforms.kubernetes.delivery import delivery_manifests
from clusterwright.platforms.kubernetes.jobs import job_manifests
from clusterwright.platforms.kubernetes.metrics import metrics_manifests
from clusterwright.platforms.kubernetes.objects import Manifest
from clusterwright.platforms.kubernetes.queues import queue_manifests
from clusterwright.platforms.kubernetes.storage import storage_manifests
from clusterwright.platforms.kubernetes.tenants import tenant_manifests

Part = Literal[
    "tenants", "storage", "queues", "autoscaling", "metrics", "acceptance", "delivery", "jobs"
]

APPLIED: Final[tuple[Part, ...]] = (
    "tenants",
    "storage",
    "queues",
    "autoscaling",
    "metrics",
    "acceptance",
)
"""Parts with permanent objects, which Argo CD synchronises."""

PARTS: Final[tuple[Part, ...]] = (*APPLIED, "delivery", "jobs")
"""All parts: `delivery` configures Argo CD itself; `jobs` start when they are applied."""


def manifests(
    cluster: Cluster, catalog: Catalog, part: Part, outputs: Mapping[str, str]
) -> list[Manifest]:
    """Return the objects of one part.

    Raises
    ------
    UnknownVolumeError
        A file system's address is neither in the spec nor in `outputs`.
    UnknownOutputError
        An id with which Karpenter launches nodes is not in `outputs`.
    UnknownFactError
        The catalogue lacks a value for an instance type.
    UnknownProgramError
        The files of the exporter or of the acceptance program are missing.
    """
    return list(_of(cluster, catalog, part, outputs))


def _of(
    cluster: Cluster, catalog: Catalog, part: Part, outputs: Mapping[str, str]
) -> Iterator[Manifest]:
    match part:
        case "tenants":
            return tenant_manifests(cluster, catalog)
        case "storage":
            return storage_manifests(cluster, outputs)
        case "queues":
            return queue_manifests(cluster, catalog)
        case "autoscaling":
            return autoscaling_manifests(cluster, catalog, outputs)
        case "metrics":
            return metrics_manifests(cluster)
        case "acceptance":
            return acceptance_manifests(cluster, catalog)
        case "delivery":
            return delivery_manifests(cluster)
        case "jobs":
            return job_manifests(cluster, catalog)
