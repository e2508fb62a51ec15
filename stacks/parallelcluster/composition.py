"""ParallelCluster: the scripts and the cluster above what all platforms share."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from clusterwright.cluster_spec import LoadedSpec
from stacks.base.spec_metadata import record
from stacks.foundation import foundation
from stacks.lifecycle.lifecycle_stack import LifecycleStack
from stacks.observability.observability_stack import ObservabilityStack
from stacks.parallelcluster.cluster import ParallelClusterInputs, ParallelClusterStack
from stacks.parallelcluster.latest_scripts import LatestScripts


def build(scope: Construct, loaded: LoadedSpec) -> list[cdk.Stack]:
    """Every stack of the cluster, in the order of deployment."""
    cluster = loaded.cluster
    base = foundation(scope, cluster, node_role=None)
    stacks = base.stacks
    observability = ObservabilityStack(scope, cluster, base.watched, key_arn=base.identity.key_arn)
    if observability.node.children:
        stacks.append(observability)
    else:
        # Nothing is watched: CloudFormation makes no stack of nothing.
        scope.node.try_remove_child(observability.node.id)
    lifecycle = LifecycleStack(
        scope,
        cluster,
        base.catalog,
        lustre=base.lustre,
        home=base.home,
        accounting=base.database,
        key_arn=base.identity.key_arn,
        prometheus_workspace_id=observability.prometheus_workspace_id,
    )
    LatestScripts(lifecycle)
    stacks.append(lifecycle)
    inputs = ParallelClusterInputs(
        attachments=base.attachments,
        key_arn=base.identity.key_arn,
        lifecycle=lifecycle,
        lustre=base.lustre,
        home=base.home,
        accounting=base.database,
        prometheus_workspace_arn=observability.prometheus_workspace_arn,
    )
    parallelcluster = ParallelClusterStack(scope, cluster, base.catalog, inputs)
    record(parallelcluster.resource, loaded)
    # The head node needs routes and endpoints as soon as it starts, and the rules of security
    # groups before it mounts: all of it must be complete, not only what the template refers to.
    for earlier in stacks:
        parallelcluster.add_stack_dependency(earlier)
    stacks.append(parallelcluster)
    return stacks
