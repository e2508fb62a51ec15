"""The stacks of the example platform."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from clusterwright.cluster_spec import LoadedSpec


def build(scope: Construct, loaded: LoadedSpec) -> list[cdk.Stack]:
    """One empty stack."""
    return [cdk.Stack(scope, "Cluster", stack_name=f"{loaded.cluster.environment}-cluster")]
