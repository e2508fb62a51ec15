"""Secrets: whether they exist, never what they hold."""

from __future__ import annotations

from dataclasses import dataclass

from clusterwright.aws.errors import none_if_not_found
from clusterwright.aws.session import AwsSession


@dataclass(frozen=True)
class Secret:
    """`kms_key` is None for AWS's own key; `deleted` until the waiting time is over."""

    arn: str
    deleted: bool
    kms_key: str | None


@none_if_not_found()
def secret(session: AwsSession, name: str) -> Secret | None:
    """A secret by its ARN or name, also one that is to be deleted; None where there is none."""
    answer = session.call("secretsmanager", "DescribeSecret", SecretId=name)
    return Secret(
        answer["ARN"],
        answer.get("DeletedDate") is not None,
        answer.get("KmsKeyId") or None,
    )


def secret_is_usable(session: AwsSession, arn: str) -> bool:
    """Whether a secret exists and is not marked for deletion."""
    found = secret(session, arn)
    return found is not None and not found.deleted
