"""HyperPod with Slurm: the lifecycle scripts and the cluster, after the foundation."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from clusterwright.cluster_spec import LoadedSpec
from stacks.foundation import foundation
from stacks.hyperpod_slurm.cluster import HyperPodSlurmInputs, HyperPodSlurmStack
from stacks.hyperpod_slurm.node_role import execution_role
from stacks.lifecycle.lifecycle_stack import add_lifecycle


def build(scope: Construct, loaded: LoadedSpec) -> list[cdk.Stack]:
    """Every stack of the cluster, in the order of deployment."""
    cluster = loaded.cluster
    base = foundation(scope, cluster, node_role=execution_role)
    observability = base.add_observability()
    lifecycle = add_lifecycle(base, observability)
    inputs = HyperPodSlurmInputs(
        attachments=base.attachments,
        role=base.identity.role,
        key_arn=base.identity.key_arn,
        source_s3_uri=lifecycle.source_s3_uri,
        munge_key_secret_arn=lifecycle.munge_key_secret_arn,
        lustre=base.lustre,
        home=base.home,
        accounting=base.database,
        log_keeper_arn=observability.log_keeper.function_arn,
        prometheus_workspace_arn=observability.prometheus_workspace_arn,
    )
    hyperpod = HyperPodSlurmStack(scope, cluster, base.catalog, inputs)
    base.add_cluster(hyperpod, hyperpod.resource, loaded)
    return base.stacks
