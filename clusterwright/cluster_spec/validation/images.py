"""The machine image, settings that depend on it, and the versions of its software."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.software import SLURM_COMPONENTS, SoftwareVersions
from clusterwright.cluster_spec.problems import Path, Problem


def problems(cluster: Cluster) -> Iterator[Problem]:
    image = cluster.image
    if image.image_id is not None and image.release_version is not None:
        yield Problem(
            "image_id and release_version are mutually exclusive",
            ("image", "image_id"),
            other_path=("image", "release_version"),
        )
    if image.released is not None and image.image_id is None and image.release_version is None:
        yield Problem(
            "`released` requires an image; without one HyperPod uses its latest release",
            ("image", "released"),
            hint="add release_version or image_id",
            other_path=("image",),
        )
    if image.nvidia_driver is not None and not (image.image_id or image.release_version):
        yield Problem(
            "`nvidia_driver` requires an image; without one the platform uses its latest release",
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
            "nodes with a custom AMI need the service CIDR range, and the default of EKS in an "
            "existing network is unknown before deployment",
            ("image", "image_id"),
            hint="set kubernetes.service_cidr, such as 172.20.0.0/16",
            other_path=("network", "existing"),
        )
    yield from _software(cluster)
    if image.auto_patch is not None and image.image_id is not None:
        yield Problem(
            "HyperPod does not patch custom AMIs",
            ("image", "auto_patch"),
            other_path=("image", "image_id"),
        )


def _software(cluster: Cluster) -> Iterator[Problem]:
    driver = cluster.image.nvidia_driver
    places: list[tuple[Path, SoftwareVersions]] = [(("software",), cluster.software)]
    places += [
        (("compute", index, "software"), group.software)
        for index, group in enumerate(cluster.compute)
    ]
    for path, versions in places:
        for component in versions:
            if component in SLURM_COMPONENTS and not cluster.uses_slurm:
                yield Problem(
                    f"`{component}`: nodes of {cluster.platform} do not have Slurm's software",
                    (*path, component),
                    other_path=("platform",),
                )
    declared = cluster.software.get("nvidia_driver")
    if driver is not None and declared is not None and driver != declared:
        yield Problem(
            f"nvidia_driver is {declared} here and {driver} in `image`",
            ("software", "nvidia_driver"),
            hint="state it once",
            other_path=("image", "nvidia_driver"),
        )
