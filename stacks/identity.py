"""Who may do what: the encryption key and the role of the nodes."""

from __future__ import annotations

from collections.abc import Callable

from aws_cdk import aws_iam as iam
from constructs import Construct

from clusterwright.spec.models.cluster import Cluster
from stacks.encryption_key import EncryptionKey
from stacks.part import Part

RoleBuilder = Callable[[Construct, Cluster, str], iam.Role]
"""Makes the role of a platform's nodes, in a scope, with the ARN of the key that they use."""


class Identity(Part):
    """The key is stateful: without it, what it encrypted is lost."""

    PART = "identity"
    STATEFUL = True

    def __init__(self, scope: Construct, cluster: Cluster, node_role: RoleBuilder) -> None:
        super().__init__(scope, cluster, description="encryption key and the role of the nodes")
        given = cluster.identity.kms_key_arn
        self.key_arn = given if given is not None else EncryptionKey(self, "Key", cluster).arn
        self.role = node_role(self, cluster, self.key_arn)
