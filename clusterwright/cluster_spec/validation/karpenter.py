"""What Karpenter can be asked for, and what its groups cannot have.

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
LEAST_VERSION = (1, 14)
"""Whose documentation and API the manifests and rights were written from."""

RESTRICTED_DOMAINS = ("karpenter.sh", "karpenter.k8s.aws")
"""Keys of these domains are Karpenter's own; `node_labels` refuses those of Kubernetes."""

RESTRICTED_TAGS = (
    "eks:eks-cluster-name",
    "karpenter.sh/nodepool",
    "karpenter.sh/nodeclaim",
    "karpenter.k8s.aws/ec2nodeclass",
)
CLUSTER_TAG = "kubernetes.io/cluster"
"""With what follows: Karpenter and its rights tell their own instances by these tags."""


def problems(cluster: Cluster) -> Iterator[Problem]:
    here = cluster.traits.autoscaling_key
    if here is None or not karpenter.is_on(cluster):
        return
    if not karpenter.scaled_groups(cluster):
        yield Problem(
            "Karpenter has no group to scale: it would be installed, and add no node",
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
        return "give a group `max_count` above its `count`, or leave autoscaling off"
    return (
        "give a compute group `max_count`: one that is on demand or spot, neither restricted nor "
        "divided by `mig_profile`; or leave autoscaling off"
    )


def _version(cluster: Cluster) -> Iterator[Problem]:
    for number, chart in enumerate(cluster.kubernetes.workloads.charts):
        if chart.name != CHART or chart.version is None:
            continue
        parts = chart.version.removeprefix("v").split("-")[0].split("+")[0].split(".")
        found = tuple(int(part) for part in parts[:2] if part.isdigit())
        if found < LEAST_VERSION:
            yield Problem(
                f"Karpenter {chart.version} does not know network interfaces and placement "
                "groups as they are written for it",
                ("kubernetes", "workloads", "charts", number, "version"),
                hint=f"{'.'.join(map(str, LEAST_VERSION))} or later",
            )


def _tags(cluster: Cluster) -> Iterator[Problem]:
    for key in cluster.tags:
        if key in RESTRICTED_TAGS or key.startswith(CLUSTER_TAG):
            yield Problem(
                f"the tag {key} is Karpenter's own: by it, it knows the instances that it made",
                ("tags", key),
                other_path=("kubernetes", "autoscaling"),
            )


def _group(group: ComputeGroup, here: Path, autoscaling: Path) -> Iterator[Problem]:
    if group.min_count is not None:
        yield Problem(
            "Karpenter takes away none of the `count` nodes, and nothing else scales the group",
            (*here, "min_count"),
            hint="leave it out: `count` nodes always stay, and the rest come as pods wait",
            other_path=autoscaling,
        )
    if group.threads_per_core is not None:
        yield Problem(
            "Karpenter's node classes cannot set threads per core: added nodes would differ",
            (*here, "threads_per_core"),
            hint="leave it out, or max_count, or autoscaling",
            other_path=autoscaling,
        )
    if group.network_interface == "efa":
        yield Problem(
            "Karpenter's node classes take the interfaces `interface` and `efa-only`",
            (*here, "network_interface"),
            hint="network_interface: efa-only, the default",
            other_path=autoscaling,
        )
    for key in group.labels:
        domain = key.partition("/")[0]
        for restricted in RESTRICTED_DOMAINS:
            if domain.endswith(restricted):
                yield Problem(
                    f"keys of {restricted} are Karpenter's own",
                    (*here, "labels", key),
                    hint="use a domain of your own, such as team.example.com/model, or none",
                )
