"""What launch templates of compute node groups cannot express: interfaces, images, cores."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Problem
from clusterwright.platforms.eks.launch_templates import core_problems, interface_problems
from clusterwright.platforms.pcs.groups import image_parameter


def problems(cluster: Cluster) -> Iterator[Problem]:
    catalog = load_catalog()
    for index, group in enumerate(cluster.compute):
        yield from interface_problems(group, index, catalog)
        if cluster.image.image_id is None and image_parameter(group, catalog) is None:
            yield Problem(
                f"the architecture of {group.instance_type} is unknown, and PCS has an image for "
                "each",
                ("compute", index, "instance_type"),
                hint="image.image_id: a custom image",
            )
        yield from core_problems(group, index, catalog)
