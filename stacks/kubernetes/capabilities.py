"""Capabilities of EKS: Argo CD, AWS Controllers for Kubernetes and kro, each with its role.

Source: EKS user guide, "Amazon EKS capability IAM role" (trust; no permissions for kro, for Argo
CD without AWS integrations, and for ACK until the user grants some).
"""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_eks as eks
from aws_cdk import aws_iam as iam
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from clusterwright.cluster_spec.models.kubernetes_capabilities import ArgoCd

SERVICE = "capabilities.eks.amazonaws.com"
NAMESPACE = "argocd"

_CFN = eks.CfnCapability


def add_capabilities(scope: Construct, cluster: Cluster, *, cluster_name: str) -> None:
    """Add the capabilities of the spec to the stack of the control plane.

    It grants Argo CD no permissions in Kubernetes: EKS creates the access entry of its role, and
    CloudFormation cannot add a policy to an entry that it does not have.
    docs/how-to/deliver-manifests.md has the command.
    """
    capabilities = cluster.kubernetes.capabilities
    if capabilities.argocd is not None:
        role = _capability(
            scope, cluster, "ARGOCD", cluster_name, _argocd(cluster, capabilities.argocd)
        )
        cdk.CfnOutput(cdk.Stack.of(scope), "ArgoCdRoleArn", value=role.role_arn)
    if capabilities.ack:
        _capability(scope, cluster, "ACK", cluster_name, None)
    if capabilities.kro:
        _capability(scope, cluster, "KRO", cluster_name, None)


def _capability(
    scope: Construct,
    cluster: Cluster,
    kind: str,
    cluster_name: str,
    configuration: _CFN.CapabilityConfigurationProperty | None,
) -> iam.Role:
    name = kind.capitalize()
    role = iam.Role(
        scope,
        f"{name}CapabilityRole",
        description=f"{cluster.environment}: {kind} of EKS",
        assumed_by=iam.ServicePrincipal(SERVICE).with_session_tags(),
    )
    _CFN(
        scope,
        f"{name}Capability",
        capability_name=f"{cluster.environment}-{kind.lower()}",
        cluster_name=cluster_name,
        type=kind,
        role_arn=role.role_arn,
        # The only policy of the API: objects that a capability created remain.
        delete_propagation_policy="RETAIN",
        configuration=configuration,
    )
    return role


def _argocd(cluster: Cluster, argocd: ArgoCd) -> _CFN.CapabilityConfigurationProperty:
    admins = [
        _CFN.ArgoCdRoleMappingProperty(
            role="ADMIN",
            identities=[
                _CFN.SsoIdentityProperty(id=group, type="SSO_GROUP")
                for group in argocd.admin_group_ids
            ],
        )
    ]
    return _CFN.CapabilityConfigurationProperty(
        argo_cd=_CFN.ArgoCdProperty(
            namespace=NAMESPACE,
            aws_idc=_CFN.AwsIdcProperty(
                idc_instance_arn=argocd.identity_center_arn,
                idc_region=argocd.identity_center_region or cluster.region,
            ),
            rbac_role_mappings=admins if argocd.admin_group_ids else None,
        )
    )
