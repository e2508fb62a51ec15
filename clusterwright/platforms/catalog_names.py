"""Validation of names with the catalogue: instance types, regions, zones."""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.catalog import load_catalog
from clusterwright.cluster_spec.models import Cluster
from clusterwright.cluster_spec.problems import Problem
from clusterwright.cluster_spec.suggest import did_you_mean


def problems(cluster: Cluster) -> Iterator[Problem]:
    """Unknown names, each with a suggestion."""
    catalog = load_catalog()
    for index, group in enumerate(cluster.compute):
        name = group.instance_type
        path = ("compute", index, "instance_type")
        if name.startswith("ml."):
            yield Problem(
                f"{name}: use EC2's name; `ml.` is added where an API requires it",
                path,
                hint=f"instance_type: {name.removeprefix('ml.')}",
            )
        elif name not in catalog.instance_names:
            near = catalog.suggest_instance(name)
            yield Problem(
                f"unknown instance type {name}",
                path,
                hint=f"did you mean {near[0]}?" if near else None,
            )
    if cluster.region not in catalog.regions:
        yield Problem(
            f"the catalogue has no region {cluster.region}",
            ("region",),
            hint=did_you_mean(cluster.region, sorted(catalog.regions)),
        )
        return
    zones = catalog.zone_ids(cluster.region)
    for field in ("availability_zone_id", "second_availability_zone_id"):
        zone = getattr(cluster.network, field)
        if zone is not None and zone not in zones:
            yield Problem(
                f"the catalogue has no zone {zone} in {cluster.region}",
                ("network", field),
                hint=f"known: {', '.join(sorted(zones))}",
            )
