"""An image is named once, and a day belongs to an image that is named."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Problem


def problems(cluster: Cluster) -> Iterator[Problem]:
    image = cluster.image
    if image.image_id is not None and image.release_version is not None:
        yield Problem(
            "image_id and release_version both name the image: which one?",
            ("image", "image_id"),
            other_path=("image", "release_version"),
        )
    if image.released is not None and image.image_id is None and image.release_version is None:
        yield Problem(
            "`released` is the day of an image that is named; else HyperPod takes its newest",
            ("image", "released"),
            hint="add release_version or image_id",
            other_path=("image",),
        )
    if image.nvidia_driver is not None and not (image.image_id or image.release_version):
        yield Problem(
            "`nvidia_driver` is that of an image that is named, not of the platform's newest",
            ("image", "nvidia_driver"),
            hint="add release_version or image_id" if cluster.on_hyperpod else "add image_id",
            other_path=("image",),
        )
    if (
        cluster.traits.managed_node_groups
        and image.image_id is not None
        and cluster.network.existing is not None
        and cluster.kubernetes.service_cidr is None
    ):
        yield Problem(
            "nodes that boot from an image of your own must be told the range of services, and "
            "which one EKS takes in a network that exists is not known before",
            ("image", "image_id"),
            hint="kubernetes.service_cidr: 172.20.0.0/16, or what the cluster has",
            other_path=("network", "existing"),
        )
    if image.auto_patch is not None and image.image_id is not None:
        yield Problem(
            "HyperPod patches its own image, not one of yours",
            ("image", "auto_patch"),
            other_path=("image", "image_id"),
        )
