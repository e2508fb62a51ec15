"""Add-ons of EKS, with the versions of the spec or EKS's defaults, and Pod Identity roles."""

from __future__ import annotations

import json

from aws_cdk import aws_eks as eks
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.kubernetes import Addon
from clusterwright.platforms.kubernetes.control_plane import (
    SERVICE_ACCOUNTS,
    configuration_values,
)
from stacks.kubernetes import roles


def addon(
    scope: Construct,
    cluster: Cluster,
    wanted: Addon,
    *,
    cluster_name: str,
    key_arn: str,
    vpc_id: str,
) -> eks.CfnAddon:
    """An add-on, with a role for its service account if it calls AWS."""
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
                        scope, cluster, wanted.name, key_arn=key_arn, vpc_id=vpc_id
                    ).role_arn,
                    service_account=account,
                )
            ]
            if account
            else None
        ),
        # Overwrite manual changes: the template defines what is installed.
        resolve_conflicts="OVERWRITE",
    )
