"""EKS with managed node groups: control plane, nodes and add-ons, after the foundation."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from clusterwright.cluster_spec import LoadedSpec
from clusterwright.cluster_spec.karpenter import runs_in_cluster
from stacks.eks.karpenter import KarpenterStack
from stacks.eks.node_groups import NodeGroupsStack, node_role
from stacks.foundation import foundation
from stacks.kubernetes.addons_stack import add_addons
from stacks.kubernetes.control_plane import ControlPlaneStack


def build(scope: Construct, loaded: LoadedSpec) -> list[cdk.Stack]:
    """Every stack of the cluster, in the order of deployment."""
    cluster = loaded.cluster
    base = foundation(scope, cluster, node_role=node_role)
    observability = base.add_observability(loaded)
    kubernetes = ControlPlaneStack(base)
    base.stacks.append(kubernetes)
    if runs_in_cluster(cluster):
        base.stacks.append(KarpenterStack(base, kubernetes))
    nodes = NodeGroupsStack(base, kubernetes)
    base.add_cluster(nodes, nodes.node_groups[0], loaded)
    add_addons(base, kubernetes, nodes, observability)
    return base.stacks
