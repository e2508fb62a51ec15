"""EKS with managed node groups: control plane, nodes and add-ons above what platforms share."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from clusterwright.cluster_spec import LoadedSpec
from clusterwright.cluster_spec.karpenter import runs_in_cluster
from clusterwright.cluster_spec.validation.metrics import collected
from stacks.base.spec_metadata import record
from stacks.eks.karpenter import KarpenterStack
from stacks.eks.node_groups import NodeGroupsStack, node_role
from stacks.foundation import foundation
from stacks.kubernetes.addons import AddonsStack
from stacks.kubernetes.control_plane import ControlPlaneStack
from stacks.observability.observability_stack import ObservabilityStack


def build(scope: Construct, loaded: LoadedSpec) -> list[cdk.Stack]:
    """Every stack of the cluster, in the order of deployment."""
    cluster = loaded.cluster
    base = foundation(scope, cluster, node_role=node_role)
    identity, stacks = base.identity, base.stacks
    observability = ObservabilityStack(scope, cluster, base.watched, key_arn=identity.key_arn)
    # Without file systems and a budget there is nothing to watch, and no stack without resources.
    if observability.node.children:
        stacks.append(observability)
    else:
        scope.node.try_remove_child(observability.node.id)
    kubernetes = ControlPlaneStack(scope, cluster, base.attachments, key_arn=identity.key_arn)
    stacks.append(kubernetes)
    if runs_in_cluster(cluster):
        karpenter = KarpenterStack(
            scope,
            cluster,
            base.catalog,
            kubernetes=kubernetes,
            attachments=base.attachments,
            key_arn=identity.key_arn,
        )
        stacks.append(karpenter)
    nodes = NodeGroupsStack(
        scope,
        cluster,
        base.catalog,
        kubernetes=kubernetes,
        attachments=base.attachments,
        role=identity.role,
        key_arn=identity.key_arn,
        lustre=base.lustre,
        home=base.home,
    )
    record(nodes.node_groups[0], loaded)
    # A node that joins before the network plugin is there, or mounts before the file systems are,
    # fails; the add-ons above the nodes need some to run on.
    for earlier in stacks:
        nodes.add_stack_dependency(earlier)
    stacks.append(nodes)
    addons = AddonsStack(scope, cluster, cluster_name=kubernetes.name, key_arn=identity.key_arn)
    addons.add_stack_dependency(nodes)
    if collected(cluster) and observability.prometheus_workspace_arn is not None:
        addons.collect_metrics(
            cluster_arn=kubernetes.arn,
            attachments=base.attachments,
            workspace_arn=observability.prometheus_workspace_arn,
        )
    stacks.append(addons)
    return stacks
