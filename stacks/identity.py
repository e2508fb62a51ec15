"""Who may do what: the encryption key and the role of the nodes."""

from __future__ import annotations

from constructs import Construct

from clusterwright.spec.models.cluster import Cluster
from stacks.encryption_key import EncryptionKey
from stacks.execution_role import execution_role
from stacks.part import Part


class Identity(Part):
    """The key is stateful: without it, what it encrypted is lost."""

    PART = "identity"
    STATEFUL = True

    def __init__(self, scope: Construct, cluster: Cluster) -> None:
        super().__init__(scope, cluster, description="encryption key and the role of the nodes")
        given = cluster.identity.kms_key_arn
        self.key_arn = given if given is not None else EncryptionKey(self, "Key", cluster).arn
        self.role = execution_role(self, cluster, key_arn=self.key_arn)
