"""Node classes and pools of Karpenter on HyperPod; the module `karpenter` has those for EKS.

Sources: SageMaker developer guide, "Create a NodeClass" and "Create a NodePool". Groups start
without nodes, because Karpenter removes nodes that it did not add.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from clusterwright.catalog import Catalog
from clusterwright.cluster_spec.karpenter import scaled_groups
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.compute import ComputeGroup
from clusterwright.platforms.kubernetes.groups import (
    INSTANCE_TYPE,
    instance_label,
    job_nodes,
    node_resources,
    taints,
)
from clusterwright.platforms.kubernetes.karpenter import karpenter_manifests
from clusterwright.platforms.kubernetes.objects import Manifest, manifest, object_name

NODE_CLASS_GROUP = "karpenter.sagemaker.amazonaws.com"
CONSOLIDATE_AFTER = "10m"
"""Chosen to be long enough for the next job of a queue to use the node."""


def autoscaling_manifests(
    cluster: Cluster, catalog: Catalog, outputs: Mapping[str, str]
) -> Iterator[Manifest]:
    """Return a class and a pool for each group that may grow (`max_count`).

    Raises
    ------
    UnknownOutputError
        `outputs` lacks an id with which nodes are launched; only if Karpenter runs in the cluster.
    """
    if cluster.traits.karpenter_in_cluster:
        yield from karpenter_manifests(cluster, catalog, outputs)
        return
    for group in scaled_groups(cluster):
        name = object_name(group.name)
        yield manifest(
            f"{NODE_CLASS_GROUP}/v1",
            "HyperpodNodeClass",
            name,
            spec={"instanceGroups": [group.name]},
        )
        yield _pool(cluster, group, name, catalog)


def _pool(cluster: Cluster, group: ComputeGroup, name: str, catalog: Catalog) -> Manifest:
    node = node_resources(group, catalog)
    nodes = job_nodes(cluster, group)
    limits = {"cpu": str(node.cpu_count * nodes)}
    if node.accelerator is not None:
        limits[node.accelerator] = str(node.accelerator_count * nodes)
    return manifest(
        "karpenter.sh/v1",
        "NodePool",
        name,
        spec={
            "template": {
                **({"metadata": {"labels": dict(group.labels)}} if group.labels else {}),
                "spec": {
                    "nodeClassRef": {
                        "group": NODE_CLASS_GROUP,
                        "kind": "HyperpodNodeClass",
                        "name": name,
                    },
                    "expireAfter": "Never",
                    "requirements": [
                        {
                            "key": INSTANCE_TYPE,
                            "operator": "In",
                            "values": [instance_label(cluster, group)],
                        }
                    ],
                    **({"taints": taints(group)} if group.taints else {}),
                },
            },
            # A node with a job is never removed by consolidation.
            "disruption": {
                "consolidationPolicy": "WhenEmpty",
                "consolidateAfter": CONSOLIDATE_AFTER,
            },
            "limits": limits,
        },
    )
