"""Build the stacks of a spec's platform, with its tags and permissions boundary."""

from __future__ import annotations

from importlib import import_module

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from clusterwright.cluster_spec import LoadedSpec
from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.platforms.registry import folder_of
from stacks.base.tags import tags_of


def build(scope: Construct, loaded: LoadedSpec) -> list[cdk.Stack]:
    """Every stack of the cluster, in the order of deployment."""
    cluster = loaded.cluster
    folder = folder_of(cluster.platform)
    stacks: list[cdk.Stack] = import_module(f"stacks.{folder}.composition").build(scope, loaded)
    _tag(scope, cluster)
    _bound(scope, cluster)
    return stacks


def _tag(scope: Construct, cluster: Cluster) -> None:
    for key, value in tags_of(cluster).items():
        cdk.Tags.of(scope).add(key, value)


def _bound(scope: Construct, cluster: Cluster) -> None:
    """Apply the spec's permissions boundary to every role, also those of the CDK's functions."""
    arn = cluster.identity.permissions_boundary_arn
    if arn is not None:
        boundary = iam.ManagedPolicy.from_managed_policy_arn(
            cdk.Stack.of(scope.node.children[0]), "PermissionsBoundary", arn
        )
        iam.PermissionsBoundary.of(scope).apply(boundary)
