"""Validation of the interface type that groups choose."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.catalog import Known, load_catalog
from clusterwright.cluster_spec.models import Cluster
from clusterwright.cluster_spec.problems import Problem


def problems(cluster: Cluster) -> Iterator[Problem]:
    """A type of EFA interfaces on instances without EFA, where it would have no effect."""
    catalog = load_catalog()
    for index, group in enumerate(cluster.compute):
        instance = catalog.instance(group.instance_type)
        interfaces = instance.efa_interfaces if instance is not None else None
        if (
            group.network_interface is not None
            and isinstance(interfaces, Known)
            and interfaces.value == 0
        ):
            yield Problem(
                f"{group.instance_type} does not support EFA",
                ("compute", index, "network_interface"),
                hint="omit it, or choose an instance type with EFA",
                other_path=("compute", index, "instance_type"),
            )
