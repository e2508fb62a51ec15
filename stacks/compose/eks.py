"""EKS with managed node groups: control plane, nodes and add-ons above what platforms share."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from clusterwright.spec import LoadedSpec
from stacks.compose.foundation import foundation
from stacks.execution_role import execution_role
from stacks.kubernetes_addons import KubernetesAddons
from stacks.kubernetes_cluster import KubernetesCluster


def build(scope: Construct, loaded: LoadedSpec) -> list[cdk.Stack]:
    """Every stack of the cluster, in the order of deployment."""
    cluster = loaded.cluster
    base = foundation(scope, cluster, node_role=execution_role)
    stacks = base.stacks
    kubernetes = KubernetesCluster(scope, cluster, base.attachments, key_arn=base.identity.key_arn)
    stacks.append(kubernetes)
    addons = KubernetesAddons(scope, cluster, cluster_name=kubernetes.name)
    stacks.append(addons)
    return stacks
