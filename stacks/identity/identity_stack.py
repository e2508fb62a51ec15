"""The stack of the encryption key and the role of the nodes."""

from __future__ import annotations

from collections.abc import Callable

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from clusterwright.cluster_spec.models.cluster import Cluster
from stacks.base.cluster_stack import ClusterStack
from stacks.identity.encryption_key import EncryptionKey

RoleBuilder = Callable[[Construct, Cluster, str], iam.Role]
"""Creates the role of a platform's nodes, in a scope, with the ARN of their key."""


class IdentityStack(ClusterStack):
    """Stateful: data that the key encrypted is lost without it."""

    NAME_SUFFIX = "identity"
    STATEFUL = True

    def __init__(self, scope: Construct, cluster: Cluster, node_role: RoleBuilder | None) -> None:
        """`node_role` is None if the platform creates the roles of its nodes itself."""
        what = (
            "encryption key" if node_role is None else "encryption key and the role of the nodes"
        )
        super().__init__(scope, cluster, description=what)
        given = cluster.identity.kms_key_arn
        self.key_arn = given if given is not None else EncryptionKey(self, "Key", cluster).arn
        if given is None:
            cdk.CfnOutput(self, "KeyArn", value=self.key_arn)
        self._role = None if node_role is None else node_role(self, cluster, self.key_arn)

    @property
    def role(self) -> iam.Role:
        """The role of the nodes, on platforms that do not create it themselves."""
        assert self._role is not None
        return self._role
