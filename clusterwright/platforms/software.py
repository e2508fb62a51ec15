"""The versions of software that a spec declares or implies, per group, and whether they work."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from clusterwright.catalog import Catalog
from clusterwright.catalog.store import PACKAGE_DATA
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.models.software import (
    EFA_COMPONENTS,
    NEURON_COMPONENTS,
    NVIDIA_COMPONENTS,
)
from clusterwright.cluster_spec.problems import Path
from clusterwright.platforms import accelerators
from clusterwright.platforms.kubernetes.charts import listed_charts, wanted_charts
from clusterwright.platforms.kubernetes.groups import has_efa
from clusterwright.platforms.software_pairs import Finding, Surroundings, evaluate

CHARTS = {
    "karpenter": "karpenter",
    "kueue": "kueue",
    "nvidia-device-plugin": "nvidia_device_plugin",
    "aws-efa-k8s-device-plugin": "efa_device_plugin",
}
"""Charts whose versions are compared, with the names of the components."""

_OPERATING_SYSTEMS = {
    "ubuntu2204": "ubuntu-22.04",
    "ubuntu2404": "ubuntu-24.04",
    "alinux2023": "amzn-2023",
    "rhel8": "rhel-8",
    "rhel9": "rhel-9",
}
"""`parallelcluster.os` as os-release(5) names it."""


@dataclass(frozen=True)
class Declared:
    """A version and the key of the spec that states or implies it."""

    version: str
    path: Path
    is_stated: bool
    """Whether the spec states it (`software`, `image.nvidia_driver`), not another key's value."""


@cache
def model() -> Mapping[str, Any]:
    """Return the content of `software.json`: components, and pairs with their rows."""
    text = (PACKAGE_DATA / "software.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def title(component: str) -> str:
    """Return the name of a component in messages."""
    return str(model()["components"][component])


def stated(cluster: Cluster, group: ComputeGroup, catalog: Catalog) -> dict[str, str]:
    """Return the versions that the spec states for a group's nodes, by component.

    Versions for the whole cluster apply to the groups that have the component: `nvidia_driver` to
    groups with NVIDIA accelerators, `efa_installer` to groups with EFA.
    """
    versions = {str(name): text for name, text in cluster.software.items()}
    if cluster.image.nvidia_driver is not None:
        versions.setdefault("nvidia_driver", cluster.image.nvidia_driver)
    lacking = lacks(group, catalog)
    versions = {name: text for name, text in versions.items() if name not in lacking}
    return versions | {str(name): text for name, text in group.software.items()}


def lacks(group: ComputeGroup, catalog: Catalog) -> frozenset[str]:
    """Return the components that the nodes of a group cannot have."""
    family = accelerators.family(group.instance_type, catalog)
    found: set[str] = set()
    if family != "nvidia":
        found |= NVIDIA_COMPONENTS
    if family != "neuron":
        found |= NEURON_COMPONENTS
    if not has_efa(group, catalog):
        found |= EFA_COMPONENTS
    return frozenset(found)


def declared(
    cluster: Cluster, index: int, group: ComputeGroup, catalog: Catalog
) -> dict[str, Declared]:
    """Return all versions that are known of a group's nodes and of the cluster they are in."""
    here: Path = ("compute", index)
    found = dict(_implied(cluster, catalog))
    found["instance_type"] = Declared(group.instance_type, (*here, "instance_type"), False)
    for name, version in stated(cluster, group, catalog).items():
        path: Path = ("software", name)
        if name in group.software:
            path = (*here, "software", name)
        elif name not in cluster.software:
            path = ("image", "nvidia_driver")
        found[name] = Declared(version, path, True)
    return found


def findings(cluster: Cluster, versions: Mapping[str, Declared]) -> list[Finding]:
    """Return the result for each pair of components that both have a version."""
    found = evaluate(
        model(),
        {name: each.version for name, each in versions.items()},
        Surroundings(cluster.platform, _features(cluster)),
    )
    return [each for each in found if versions.keys() >= set(each.components)]


def _features(cluster: Cluster) -> tuple[str, ...]:
    # Containers may have NVIDIA's compatibility package, nodes of published images do not.
    return ("efa_lustre",) if any(fs.efa for fs in cluster.storage.lustre) else ()


def _implied(cluster: Cluster, catalog: Catalog) -> Iterator[tuple[str, Declared]]:
    if "parallelcluster" in cluster.traits.sections:
        system = _OPERATING_SYSTEMS[cluster.parallelcluster.os]
        yield "os", Declared(system, ("parallelcluster", "os"), False)
    if not cluster.uses_kubernetes:
        return
    kubernetes = cluster.kubernetes
    yield "kubernetes", Declared(kubernetes.version, ("kubernetes", "version"), False)
    own = {
        str(chart.name): (place, chart.version)
        for place, chart in enumerate(kubernetes.workloads.charts)
    }
    for name in wanted_charts(cluster, catalog):
        if name not in CHARTS:
            continue
        place, version = own.get(name, (None, None))
        path: Path = ("kubernetes", "workloads", "charts")
        if version is not None and place is not None:
            path = (*path, place, "version")
        version = version or listed_charts()[name].version
        if version is not None:
            yield CHARTS[name], Declared(version, path, False)
    for place, addon in enumerate(kubernetes.addons):
        if addon.name == "vpc-cni" and addon.version is not None:
            where: Path = ("kubernetes", "addons", place, "version")
            yield "vpc_cni", Declared(addon.version, where, False)
