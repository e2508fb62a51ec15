"""Validation of HyperPod's inference operator: egress, and versions of the required add-ons.

Source: SageMaker developer guide, "Setting up your HyperPod clusters for model deployment"
(method 2, required add-ons, read 2026-11-21).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.problems import Path, Problem

HERE: Path = ("hyperpod", "inference")

LEAST_VERSIONS: Final = {
    "aws-mountpoint-s3-csi-driver": "v1.14.1-eksbuild.1",
    "aws-fsx-csi-driver": "v1.6.0-eksbuild.1",
    "metrics-server": "v0.7.2-eksbuild.4",
}
LEAST_VERSION: Final = "v1.0.0-eksbuild.1"


def problems(cluster: Cluster) -> Iterator[Problem]:
    wanted = cluster.hyperpod.inference
    if cluster.platform != "hyperpod-eks" or wanted is None:
        return
    if cluster.network.existing is None and cluster.network.egress == "closed":
        yield Problem(
            "the operator's load balancer controller calls ACM, WAF and Shield, for which no VPC "
            "endpoint is supported, and the network is closed",
            HERE,
            hint="network.egress: nat",
            other_path=("network", "egress"),
        )
    if wanted.addon_version is not None:
        yield from _older(
            "the add-on", wanted.addon_version, LEAST_VERSION, (*HERE, "addon_version")
        )
    for index, addon in enumerate(cluster.kubernetes.addons):
        least = LEAST_VERSIONS.get(addon.name)
        if least is not None and addon.version is not None:
            path: Path = ("kubernetes", "addons", index, "version")
            yield from _older(
                f"{addon.name} for the inference operator", addon.version, least, path
            )


def _older(what: str, given: str, least: str, path: Path) -> Iterator[Problem]:
    if _order(given) < _order(least):
        yield Problem(
            f"{given} is older than {least}, the first version of {what}",
            path,
            hint=f"{least} or later, or omit the version",
            other_path=None if path[: len(HERE)] == HERE else HERE,
        )


def _order(version: str) -> tuple[int, ...]:
    """`v1.14.1-eksbuild.1` → 1, 14, 1, 1."""
    numbers, _, build = version.removeprefix("v").partition("-eksbuild.")
    return tuple(int(part) for part in (*numbers.split("."), build or "0"))
