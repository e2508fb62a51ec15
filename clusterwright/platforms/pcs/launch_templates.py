"""What launch templates of compute node groups cannot express: interfaces, images, cores."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.catalog import Unknown, load_catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path, Problem
from clusterwright.platforms.eks.launch_templates import interfaces, problems_of
from clusterwright.platforms.pcs.groups import image_parameter


def problems(cluster: Cluster) -> Iterator[Problem]:
    catalog = load_catalog()
    for index, group in enumerate(cluster.compute):
        here: Path = ("compute", index, "instance_type")
        instance = catalog.instance(group.instance_type)
        layout = interfaces(group, catalog)
        if isinstance(layout, Unknown):
            yield Problem(
                f"the network interfaces of {group.instance_type} are unknown: {layout.reason}",
                here,
                hint="on HyperPod the service creates the interfaces",
            )
        elif instance is not None:
            for problem in problems_of(layout.value, instance):
                yield Problem(f"network interfaces of {group.instance_type}: {problem}", here)
        if cluster.image.image_id is None and image_parameter(group, catalog) is None:
            yield Problem(
                f"the architecture of {group.instance_type} is unknown, and PCS has an image for "
                "each",
                here,
                hint="image.image_id: a custom image",
            )
        if group.threads_per_core is not None and (
            instance is None or isinstance(instance.cores, Unknown)
        ):
            yield Problem(
                f"the number of cores of {group.instance_type} is unknown, and EC2 requires it "
                "for threads_per_core",
                ("compute", index, "threads_per_core"),
            )
