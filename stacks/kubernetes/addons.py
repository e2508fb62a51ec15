"""Add-ons of EKS: versions of the spec or EKS's own, roles through Pod Identity."""

from __future__ import annotations

import json

from aws_cdk import aws_eks as eks
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.kubernetes import Addon
from clusterwright.platforms.kubernetes.control_plane import (
    AFTER_NODES,
    SERVICE_ACCOUNTS,
    addons,
    configuration_values,
)
from stacks.base.cluster_stack import ClusterStack
from stacks.kubernetes import roles
from stacks.kubernetes.metrics_collector import collector
from stacks.network.network_stack import Attachments


class AddonsStack(ClusterStack):
    """Add-ons whose pods need nodes: before there are any, EKS would report them as degraded."""

    NAME_SUFFIX = "addons"

    def __init__(
        self, scope: Construct, cluster: Cluster, *, cluster_name: str, key_arn: str
    ) -> None:
        super().__init__(scope, cluster, description="add-ons of Kubernetes that need nodes")
        self.addons = {
            each.name: addon(self, cluster, each, cluster_name=cluster_name, key_arn=key_arn)
            for each in addons(cluster)
            if each.name in AFTER_NODES
        }

    def collect_metrics(
        self, *, cluster_arn: str, attachments: Attachments, workspace_arn: str
    ) -> None:
        """Let AWS fill the workspace from nodes and control plane."""
        collector(
            self,
            "Collector",
            self.cluster,
            cluster_arn=cluster_arn,
            subnet_ids=attachments.control_plane_subnet_ids,
            security_group_ids=attachments.node_security_group_ids,
            workspace_arn=workspace_arn,
        )


def addon(
    scope: Construct, cluster: Cluster, wanted: Addon, *, cluster_name: str, key_arn: str
) -> eks.CfnAddon:
    """One add-on, with the role of its service account where it calls AWS."""
    account = SERVICE_ACCOUNTS.get(wanted.name)
    values = configuration_values(wanted.name)
    return eks.CfnAddon(
        scope,
        "".join(word.capitalize() for word in wanted.name.split("-")),
        addon_name=wanted.name,
        addon_version=wanted.version,
        cluster_name=cluster_name,
        configuration_values=json.dumps(values, sort_keys=True) if values else None,
        pod_identity_associations=(
            [
                eks.CfnAddon.PodIdentityAssociationProperty(
                    role_arn=roles.addon_role(
                        scope, cluster, wanted.name, key_arn=key_arn
                    ).role_arn,
                    service_account=account,
                )
            ]
            if account
            else None
        ),
        # What somebody changed by hand is put back: the template says what is installed.
        resolve_conflicts="OVERWRITE",
    )
