"""The control plane of EKS, access to it, and the add-ons without which no node becomes ready.

Both platforms with Kubernetes use it. The stacks of the nodes, and of the add-ons whose pods need
nodes (`addons_stack`), are deployed after it.
"""

from __future__ import annotations

from aws_cdk import aws_eks as eks
from aws_cdk import aws_iam as iam

from clusterwright.cluster_spec.models.kubernetes import AccessEntry
from clusterwright.platforms.kubernetes.control_plane import (
    BEFORE_NODES,
    addons,
    cluster_name,
    log_group,
    service_cidr,
)
from stacks.base.acknowledge import acknowledge, ignore_lint_everywhere
from stacks.base.cluster_stack import ClusterStack
from stacks.base.log_groups import log_group as log_group_of
from stacks.foundation import Foundation
from stacks.kubernetes import roles
from stacks.kubernetes.addons import addon
from stacks.kubernetes.capabilities import add_capabilities

_CFN = eks.CfnCluster

LOG_TYPES = {"controller-manager": "controllerManager"}
"""The spec's names of logs that have another spelling in EKS's API."""

ALL_LOGS = ("api", "audit", "authenticator", "controller-manager", "scheduler")

POLICIES = {
    "cluster-admin": "AmazonEKSClusterAdminPolicy",
    "admin": "AmazonEKSAdminPolicy",
    "admin-view": "AmazonEKSAdminViewPolicy",
    "edit": "AmazonEKSEditPolicy",
    "view": "AmazonEKSViewPolicy",
}
"""EKS's access policies (EKS user guide, "Review access policy permissions")."""


class ControlPlaneStack(ClusterStack):
    """The EKS cluster: private by default, with encrypted secrets and explicit access entries."""

    NAME_SUFFIX = "kubernetes"
    # Objects that users applied to Kubernetes are only in the control plane.
    STATEFUL = True

    def __init__(self, base: Foundation) -> None:
        cluster, key_arn = base.cluster, base.identity.key_arn
        super().__init__(base.scope, cluster, description="control plane of Kubernetes on EKS")
        self._attachments, self._key_arn = base.attachments, key_arn
        self._logs = log_group_of(
            self,
            "ControlPlaneLogs",
            name=log_group(cluster),
            days=cluster.observability.log_retention_days,
            key_arn=key_arn,
        )
        self.role = roles.control_plane_role(self, cluster, key_arn)
        self.resource = self._cluster()
        self.name: str = self.resource.ref
        """A token: resources that use it are created after the cluster."""

        self.arn: str = self.resource.attr_arn
        self.issuer_url: str = self.resource.attr_open_id_connect_issuer_url
        self.security_group_id: str = self.resource.attr_cluster_security_group_id
        self.admin_role = self._admin_role()
        for index, entry in enumerate(cluster.kubernetes.access, start=1):
            self._entry(f"Access{index}", entry)
        # Without network, proxy and identity add-ons no node becomes ready.
        self.addons = {
            each.name: addon(
                self,
                cluster,
                each,
                cluster_name=self.name,
                key_arn=key_arn,
                vpc_id=base.attachments.vpc_id,
            )
            for each in addons(cluster)
            if each.name in BEFORE_NODES
        }
        self._pod_identities()
        add_capabilities(self, cluster, cluster_name=self.name)
        ignore_lint_everywhere(
            self, "W6001", "the outputs of a deployment are together, also those of other stacks"
        )

    def _cluster(self) -> eks.CfnCluster:
        cluster, kubernetes = self.cluster, self.cluster.kubernetes
        public = kubernetes.public_access_cidrs
        resource = _CFN(
            self,
            "Cluster",
            name=cluster_name(cluster),
            version=kubernetes.version,
            role_arn=self.role.role_arn,
            resources_vpc_config=_CFN.ResourcesVpcConfigProperty(
                subnet_ids=list(self._attachments.control_plane_subnet_ids),
                security_group_ids=list(self._attachments.control_plane_security_group_ids),
                endpoint_private_access=True,
                endpoint_public_access=bool(public),
                public_access_cidrs=list(public) or None,
            ),
            kubernetes_network_config=self._services(),
            access_config=_CFN.AccessConfigProperty(
                authentication_mode="API",
                # The creator is CloudFormation's role: everybody who may deploy stacks in the
                # account would administer this cluster, without an entry in a template.
                bootstrap_cluster_creator_admin_permissions=False,
            ),
            # EKS would install versions that no template has.
            bootstrap_self_managed_addons=False,
            encryption_config=[
                _CFN.EncryptionConfigProperty(
                    provider=_CFN.ProviderProperty(key_arn=self._key_arn), resources=["secrets"]
                )
            ],
            logging=self._logging(),
            deletion_protection=cluster.protection == "retain",
            upgrade_policy=_CFN.UpgradePolicyProperty(support_type=kubernetes.support.upper()),
        )
        # If there is no log group, EKS creates it without retention and key.
        resource.node.add_dependency(self._logs)
        if public:
            acknowledge(
                resource,
                "AwsSolutions-EKS1",
                f"the spec allows {', '.join(public)} only",
            )
        for name in sorted(set(ALL_LOGS) - set(kubernetes.control_plane_logs)):
            log = LOG_TYPES.get(name, name)
            acknowledge(
                resource,
                f"AwsSolutions-EKS2[LogExport::{log}]",
                f"the spec's control_plane_logs do not have {name}",
            )
        return resource

    def _services(self) -> eks.CfnCluster.KubernetesNetworkConfigProperty | None:
        cidr = service_cidr(self.cluster)
        if cidr is None:
            return None
        return _CFN.KubernetesNetworkConfigProperty(service_ipv4_cidr=cidr)

    def _logging(self) -> _CFN.LoggingProperty:
        return _CFN.LoggingProperty(
            cluster_logging=_CFN.ClusterLoggingProperty(
                enabled_types=[
                    _CFN.LoggingTypeConfigProperty(type=LOG_TYPES.get(name, name))
                    for name in self.cluster.kubernetes.control_plane_logs
                ]
            )
        )

    def _admin_role(self) -> iam.Role | None:
        if not self.cluster.kubernetes.admin_role:
            return None
        role = roles.admin_role(self, self.cluster, cluster_arn=self.arn)
        eks.CfnAccessEntry(
            self,
            "AdminAccess",
            cluster_name=self.name,
            principal_arn=role.role_arn,
            access_policies=[self._policy("cluster-admin", [])],
        )
        return role

    def _entry(self, construct_id: str, entry: AccessEntry) -> None:
        eks.CfnAccessEntry(
            self,
            construct_id,
            cluster_name=self.name,
            principal_arn=entry.principal_arn,
            kubernetes_groups=list(entry.groups) or None,
            access_policies=(
                [self._policy(entry.policy, entry.namespaces)] if entry.policy else None
            ),
        )

    def _policy(self, name: str, namespaces: list[str]) -> eks.CfnAccessEntry.AccessPolicyProperty:
        return eks.CfnAccessEntry.AccessPolicyProperty(
            policy_arn=(
                f"arn:{self.cluster.partition}:eks::aws:cluster-access-policy/{POLICIES[name]}"
            ),
            access_scope=eks.CfnAccessEntry.AccessScopeProperty(
                type="namespace" if namespaces else "cluster",
                namespaces=list(namespaces) or None,
            ),
        )

    def _pod_identities(self) -> None:
        for index, identity in enumerate(self.cluster.kubernetes.pod_identities, start=1):
            eks.CfnPodIdentityAssociation(
                self,
                f"PodIdentity{index}",
                cluster_name=self.name,
                namespace=identity.namespace,
                service_account=identity.service_account,
                role_arn=identity.role_arn,
            )

    def kubeconfig_command(self) -> str:
        """The command that writes a kubeconfig, with the cluster administrators' role."""
        role = f" --role-arn {self.admin_role.role_arn}" if self.admin_role is not None else ""
        return (
            f"aws eks update-kubeconfig --name {cluster_name(self.cluster)} "
            f"--region {self.cluster.region}{role}"
        )
