"""The add-ons whose pods need nodes, and AWS's collector of metrics."""

from __future__ import annotations

from clusterwright.cluster_spec.validation.metrics import collected
from clusterwright.platforms.kubernetes.control_plane import AFTER_NODES, addons
from stacks.base.cluster_stack import ClusterStack
from stacks.foundation import Foundation
from stacks.kubernetes.addons import addon
from stacks.kubernetes.control_plane import ControlPlaneStack
from stacks.kubernetes.metrics_collector import collector
from stacks.observability.observability_stack import ObservabilityStack


class AddonsStack(ClusterStack):
    """Add-ons whose pods need nodes: without nodes EKS would report them as degraded."""

    NAME_SUFFIX = "addons"

    def __init__(self, base: Foundation, kubernetes: ControlPlaneStack) -> None:
        cluster, key_arn = base.cluster, base.identity.key_arn
        super().__init__(base.scope, cluster, description="add-ons of Kubernetes that need nodes")
        self.addons = {
            each.name: addon(
                self,
                cluster,
                each,
                cluster_name=kubernetes.name,
                key_arn=key_arn,
                vpc_id=base.attachments.vpc_id,
            )
            for each in addons(cluster)
            if each.name in AFTER_NODES
        }


def add_addons(
    base: Foundation,
    kubernetes: ControlPlaneStack,
    nodes: ClusterStack,
    observability: ObservabilityStack,
) -> AddonsStack:
    """Add the stack of add-ons after the nodes, with AWS's collector of metrics if it is used."""
    stack = AddonsStack(base, kubernetes)
    stack.add_stack_dependency(nodes)
    workspace_arn = observability.prometheus_workspace_arn
    if collected(base.cluster) and workspace_arn is not None:
        collector(
            stack,
            "Collector",
            base.cluster,
            cluster_arn=kubernetes.arn,
            subnet_ids=base.attachments.control_plane_subnet_ids,
            security_group_ids=base.attachments.node_security_group_ids,
            workspace_arn=workspace_arn,
        )
    base.stacks.append(stack)
    return stack
