"""HyperPod with Slurm: the lifecycle scripts and the cluster above what all platforms share."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from clusterwright.cluster_spec import LoadedSpec
from stacks.base.spec_metadata import record
from stacks.foundation import foundation
from stacks.hyperpod_slurm.cluster import ClusterInputs, HyperPodSlurmStack
from stacks.hyperpod_slurm.node_role import execution_role
from stacks.lifecycle.lifecycle_stack import LifecycleStack
from stacks.observability.observability_stack import ObservabilityStack


def build(scope: Construct, loaded: LoadedSpec) -> list[cdk.Stack]:
    """Every stack of the cluster, in the order of deployment."""
    cluster = loaded.cluster
    base = foundation(scope, cluster, node_role=execution_role)
    identity, stacks = base.identity, base.stacks
    observability = ObservabilityStack(scope, cluster, base.watched, key_arn=identity.key_arn)
    stacks.append(observability)
    lifecycle = LifecycleStack(
        scope,
        cluster,
        base.catalog,
        lustre=base.lustre,
        home=base.home,
        accounting=base.database,
        key_arn=identity.key_arn,
        prometheus_workspace_id=observability.prometheus_workspace_id,
    )
    stacks.append(lifecycle)
    inputs = ClusterInputs(
        attachments=base.attachments,
        role=identity.role,
        key_arn=identity.key_arn,
        source_s3_uri=lifecycle.source_s3_uri,
        munge_key_secret_arn=lifecycle.munge_key_secret_arn,
        lustre=base.lustre,
        home=base.home,
        accounting=base.database,
        log_keeper_arn=observability.log_keeper.function_arn,
        prometheus_workspace_arn=observability.prometheus_workspace_arn,
    )
    hyperpod = HyperPodSlurmStack(scope, cluster, base.catalog, inputs)
    record(hyperpod.resource, loaded)
    # Nodes fetch the scripts, mount the file systems and open the database as soon as they start:
    # all of it must be complete, not only the parts that the template refers to.
    for earlier in stacks:
        hyperpod.add_stack_dependency(earlier)
    stacks.append(hyperpod)
    return stacks
