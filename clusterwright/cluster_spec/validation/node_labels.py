"""Labels and taints of nodes: nothing that Kubernetes, EKS or HyperPod sets, nothing twice.

Sources: Kubernetes, "Labels and Selectors" (the prefixes kubernetes.io/ and k8s.io/ are reserved);
EKS API reference, Nodegroup and Taint (keys of managed node groups have 63 letters at most);
topology.k8s.aws is EKS's and HyperPod's (aws/karpenter-provider-aws v1.14, concepts/scheduling.md;
SageMaker developer guide, "Using topology-aware scheduling").
"""

from __future__ import annotations

from collections.abc import Iterator

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.cluster_spec.problems import Path, Problem

RESERVED = (
    *("kubernetes.io", "k8s.io", "k8s.aws", "eks.amazonaws.com", "sagemaker.amazonaws.com"),
    "clusterwright.dev",
)
"""Domains whose keys are set by the cluster itself, or by us; those below them too."""

LONGEST_KEY_OF_NODE_GROUPS = 63

MIG_LABEL = "nvidia.com/mig.config"

MOST_LABELS = 50
"""Of a group (CreateCluster, ClusterKubernetesLabels, botocore 1.44.5)."""


def problems(cluster: Cluster) -> Iterator[Problem]:
    for index, group in enumerate(cluster.compute):
        here: Path = ("compute", index)
        for key in group.labels:
            yield from _key(cluster, key, (*here, "labels", key))
            if key == MIG_LABEL:
                yield Problem(
                    f"`{key}` is set from `mig_profile`",
                    (*here, "labels", key),
                    hint="give the group's `mig_profile`, which is held against its accelerator",
                )
        if group.mig_profile is not None and len(group.labels) >= MOST_LABELS:
            yield Problem(
                f"{MOST_LABELS} labels are the most, and `mig_profile` is one more",
                (*here, "labels"),
                other_path=(*here, "mig_profile"),
            )
        for number, taint in enumerate(group.taints):
            yield from _key(cluster, taint.key, (*here, "taints", number, "key"))
        yield from _twice(group, here)


def _key(cluster: Cluster, key: str, path: Path) -> Iterator[Problem]:
    domain = key.partition("/")[0] if "/" in key else ""
    for reserved in RESERVED:
        if domain == reserved or domain.endswith(f".{reserved}"):
            yield Problem(
                f"keys of {reserved} are set by the cluster itself",
                path,
                hint="use a domain of your own, such as team.example.com/model, or none",
            )
    if cluster.traits.managed_node_groups and len(key) > LONGEST_KEY_OF_NODE_GROUPS:
        yield Problem(
            f"a node group takes keys of at most {LONGEST_KEY_OF_NODE_GROUPS} letters; "
            f"this one has {len(key)}",
            path,
            other_path=("platform",),
        )


def _twice(group: ComputeGroup, here: Path) -> Iterator[Problem]:
    first: dict[tuple[str, str], int] = {}
    for number, taint in enumerate(group.taints):
        before = first.setdefault((taint.key, taint.effect), number)
        if before != number:
            yield Problem(
                f"a second taint {taint.key} with the effect {taint.effect}",
                (*here, "taints", number),
                other_path=(*here, "taints", before),
            )
