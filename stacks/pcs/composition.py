"""AWS PCS: the lifecycle scripts and the cluster, after the foundation."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from clusterwright.cluster_spec import LoadedSpec
from stacks.foundation import foundation
from stacks.lifecycle.lifecycle_stack import add_lifecycle
from stacks.pcs.cluster import PcsStack


def build(scope: Construct, loaded: LoadedSpec) -> list[cdk.Stack]:
    """Every stack of the cluster, in the order of deployment."""
    base = foundation(scope, loaded.cluster, node_role=None)
    observability = base.add_observability(loaded)
    lifecycle = add_lifecycle(base, observability, loaded)
    pcs = PcsStack(base, lifecycle, observability)
    base.add_cluster(pcs, pcs.resource, loaded)
    return base.stacks
