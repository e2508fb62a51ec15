"""HyperPod with EKS: control plane, instance groups and add-ons, after the foundation.

The order is that of deployment. SageMaker's Helm chart must be installed between the control plane
and the instance groups, which CloudFormation cannot do: docs/how-to/use-hyperpod-eks.md.
"""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from clusterwright.cluster_spec import LoadedSpec
from clusterwright.platforms.derived_names import has_scripts
from stacks.foundation import Foundation, foundation
from stacks.hyperpod_eks import operators as hyperpod_operators
from stacks.hyperpod_eks.cluster import HyperPodEksStack
from stacks.hyperpod_eks.node_scripts import NodeScriptsStack
from stacks.hyperpod_eks.operators import OperatorsStack
from stacks.hyperpod_eks.roles import node_role
from stacks.kubernetes.addons_stack import AddonsStack, add_addons
from stacks.kubernetes.control_plane import ControlPlaneStack
from stacks.observability.observability_stack import ObservabilityStack


def build(scope: Construct, loaded: LoadedSpec) -> list[cdk.Stack]:
    """Every stack of the cluster, in the order of deployment."""
    cluster = loaded.cluster
    base = foundation(scope, cluster, node_role=node_role)
    observability = base.add_observability(loaded)
    scripts = NodeScriptsStack(scope, cluster) if has_scripts(cluster) else None
    if scripts is not None:
        base.stacks.append(scripts)
    kubernetes = ControlPlaneStack(base)
    base.stacks.append(kubernetes)
    _next_step(kubernetes)
    hyperpod = HyperPodEksStack(base, kubernetes, scripts, observability)
    base.add_cluster(hyperpod, hyperpod.resource, loaded)
    addons = add_addons(base, kubernetes, hyperpod, observability)
    if hyperpod_operators.is_built(cluster):
        base.stacks.append(_operators(base, kubernetes, hyperpod, observability, addons))
    return base.stacks


def _next_step(kubernetes: ControlPlaneStack) -> None:
    """Outputs that the CDK's command line prints after the control plane: the next step."""
    outputs = {
        "KubeconfigCommand": kubernetes.kubeconfig_command(),
        "BeforeTheNodes": "install HyperPod's Helm chart: docs/how-to/use-hyperpod-eks.md",
    }
    for name, value in outputs.items():
        cdk.CfnOutput(kubernetes, name, value=value)


def _operators(
    base: Foundation,
    kubernetes: ControlPlaneStack,
    hyperpod: HyperPodEksStack,
    observability: ObservabilityStack,
    addons: AddonsStack,
) -> OperatorsStack:
    operators = OperatorsStack(base, kubernetes, hyperpod, observability)
    # Only the inference operator uses it. Keep the export without a user: stacks are deployed in
    # order, so an export that is removed with its last user would be removed before that user.
    kubernetes.export_value(kubernetes.issuer_url)
    if observability.prometheus_workspace_arn is not None:
        observability.export_value(observability.prometheus_workspace_arn)
    # Their pods need service names, which the DNS add-on resolves.
    operators.add_stack_dependency(addons)
    return operators
