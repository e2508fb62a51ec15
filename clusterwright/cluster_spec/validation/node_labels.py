"""Labels and taints of nodes: reserved keys, limits, duplicates.

Sources: Kubernetes, "Labels and Selectors" (the prefixes kubernetes.io/ and k8s.io/ are reserved);
EKS API reference, Nodegroup and Taint (keys of managed node groups have at most 63 characters);
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
"""Reserved domains of label keys, with their subdomains."""

LONGEST_KEY_OF_NODE_GROUPS = 63

MIG_LABEL = "nvidia.com/mig.config"

MAXIMUM_LABELS = 50
"""Labels of a group (CreateCluster, ClusterKubernetesLabels, botocore 1.44.5)."""


def problems(cluster: Cluster) -> Iterator[Problem]:
    for index, group in enumerate(cluster.compute):
        here: Path = ("compute", index)
        for key in group.labels:
            yield from _key(cluster, key, (*here, "labels", key))
            if key == MIG_LABEL:
                yield Problem(
                    f"`{key}` is set by `mig_profile`",
                    (*here, "labels", key),
                    hint="set `mig_profile`, which is checked against its accelerator",
                )
        if group.mig_profile is not None and len(group.labels) >= MAXIMUM_LABELS:
            yield Problem(
                f"a group has at most {MAXIMUM_LABELS} labels, and `mig_profile` adds one",
                (*here, "labels"),
                other_path=(*here, "mig_profile"),
            )
        for number, taint in enumerate(group.taints):
            yield from _key(cluster, taint.key, (*here, "taints", number, "key"))
        yield from _duplicates(group, here)


def _key(cluster: Cluster, key: str, path: Path) -> Iterator[Problem]:
    domain = key.partition("/")[0] if "/" in key else ""
    for reserved in RESERVED:
        if domain == reserved or domain.endswith(f".{reserved}"):
            yield Problem(
                f"keys of {reserved} are reserved",
                path,
                hint="use your own domain, such as team.example.com/model, or none",
            )
    if cluster.traits.managed_node_groups and len(key) > LONGEST_KEY_OF_NODE_GROUPS:
        yield Problem(
            f"keys of a node group have at most {LONGEST_KEY_OF_NODE_GROUPS} characters; "
            f"this key has {len(key)}",
            path,
            other_path=("platform",),
        )


def _duplicates(group: ComputeGroup, here: Path) -> Iterator[Problem]:
    first: dict[tuple[str, str], int] = {}
    for number, taint in enumerate(group.taints):
        before = first.setdefault((taint.key, taint.effect), number)
        if before != number:
            yield Problem(
                f"duplicate taint {taint.key} with the effect {taint.effect}",
                (*here, "taints", number),
                other_path=(*here, "taints", before),
            )
