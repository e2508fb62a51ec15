"""Karpenter: scaled groups, version, tags, labels.

Sources: aws/karpenter-provider-aws, documentation of v1.14: concepts/nodeclasses.md (fields of
EC2NodeClass), concepts/nodepools.md, tasks/odcrs.md; pkg/apis/crds/karpenter.sh_nodepools.yaml
(domains of labels) and pkg/apis/v1/ec2nodeclass.go (tags).
"""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec import karpenter
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.problems import Path, Problem

CHART = "karpenter"
MINIMUM_VERSION = (1, 14)
"""The version whose API the manifests and permissions use."""

RESTRICTED_DOMAINS = ("karpenter.sh", "karpenter.k8s.aws")
"""Domains reserved by Karpenter; `node_labels` refuses those of Kubernetes."""

RESTRICTED_TAGS = (
    "eks:eks-cluster-name",
    "karpenter.sh/nodepool",
    "karpenter.sh/nodeclaim",
    "karpenter.k8s.aws/ec2nodeclass",
)
CLUSTER_TAG = "kubernetes.io/cluster"
"""Prefix of tags by which Karpenter and its permissions identify its instances."""


def problems(cluster: Cluster) -> Iterator[Problem]:
    here = cluster.traits.autoscaling_key
    if here is None or not karpenter.is_on(cluster):
        return
    if not karpenter.scaled_groups(cluster):
        yield Problem(
            "Karpenter has no group to scale, so it would never add a node",
            here,
            hint=_how_to_scale(cluster),
        )
    if karpenter.runs_in_cluster(cluster):
        yield from _version(cluster)
        yield from _tags(cluster)
        for index, group in enumerate(cluster.compute):
            if karpenter.is_scaled(cluster, group):
                yield from _group(group, ("compute", index), here)


def _how_to_scale(cluster: Cluster) -> str:
    if cluster.traits.karpenter_in_cluster:
        return "set `max_count` of a group above its `count`, or set autoscaling: off"
    return (
        "set `max_count` of a compute group with on-demand or spot capacity, without `restricted` "
        "and `mig_profile`, or set autoscaling: off"
    )


def _version(cluster: Cluster) -> Iterator[Problem]:
    for number, chart in enumerate(cluster.kubernetes.workloads.charts):
        if chart.name != CHART or chart.version is None:
            continue
        parts = chart.version.removeprefix("v").split("-")[0].split("+")[0].split(".")
        found = tuple(int(part) for part in parts[:2] if part.isdigit())
        if found < MINIMUM_VERSION:
            yield Problem(
                f"Karpenter {chart.version} does not support the network interfaces and placement "
                "groups of its node classes",
                ("kubernetes", "workloads", "charts", number, "version"),
                hint=f"{'.'.join(map(str, MINIMUM_VERSION))} or later",
            )


def _tags(cluster: Cluster) -> Iterator[Problem]:
    for key in cluster.tags:
        if key in RESTRICTED_TAGS or key.startswith(CLUSTER_TAG):
            yield Problem(
                f"the tag {key} is reserved by Karpenter, which identifies its instances by it",
                ("tags", key),
                other_path=("kubernetes", "autoscaling"),
            )


def _group(group: ComputeGroup, here: Path, autoscaling: Path) -> Iterator[Problem]:
    if group.min_count is not None:
        yield Problem(
            "Karpenter never removes the `count` nodes, and nothing else scales the group",
            (*here, "min_count"),
            hint="omit it: `count` nodes always run, and Karpenter adds nodes for pending pods",
            other_path=autoscaling,
        )
    if group.threads_per_core is not None:
        yield Problem(
            "Karpenter's node classes cannot set threads per core, so added nodes would differ",
            (*here, "threads_per_core"),
            hint="omit it, max_count or autoscaling",
            other_path=autoscaling,
        )
    if group.network_interface == "efa":
        yield Problem(
            "Karpenter's node classes support the interface types `interface` and `efa-only`",
            (*here, "network_interface"),
            hint="network_interface: efa-only, the default",
            other_path=autoscaling,
        )
    for key in group.labels:
        domain = key.partition("/")[0]
        for restricted in RESTRICTED_DOMAINS:
            if domain.endswith(restricted):
                yield Problem(
                    f"keys of {restricted} are reserved by Karpenter",
                    (*here, "labels", key),
                    hint="use your own domain, such as team.example.com/model, or none",
                )
