"""Keys."""

from __future__ import annotations

from dataclasses import dataclass

from clusterwright.aws.errors import none_if_not_found
from clusterwright.aws.session import AwsSession


@dataclass(frozen=True)
class Key:
    arn: str
    state: str
    """`Enabled`, or why it cannot be used (`Disabled`, `PendingDeletion`, ...)."""

    spec: str
    """`SYMMETRIC_DEFAULT`, or a spec that does not support storage; empty if KMS does not return
    it.
    """

    manager: str
    """`CUSTOMER`, or `AWS` for a key whose policy cannot be changed."""


@none_if_not_found()
def key(session: AwsSession, arn: str) -> Key | None:
    """Return a key; None if there is none."""
    answer = session.call("kms", "DescribeKey", KeyId=arn)["KeyMetadata"]
    return Key(
        answer.get("Arn", arn),
        answer["KeyState"],
        answer.get("KeySpec") or answer.get("CustomerMasterKeySpec", ""),
        answer.get("KeyManager", ""),
    )


@none_if_not_found()
def key_policy(session: AwsSession, arn: str) -> str | None:
    """Return the policy of a key, named `default` in KMS; None if there is no such key."""
    answer = session.call("kms", "GetKeyPolicy", KeyId=arn, PolicyName="default")
    return str(answer["Policy"])
