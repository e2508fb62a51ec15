"""Secrets: their existence and metadata, never their content."""

from __future__ import annotations

from dataclasses import dataclass

from clusterwright.aws.errors import none_if_not_found
from clusterwright.aws.session import AwsSession


@dataclass(frozen=True)
class Secret:
    """`kms_key` is None for the AWS managed key; `deleted` during the recovery window."""

    arn: str
    deleted: bool
    kms_key: str | None


@none_if_not_found()
def secret(session: AwsSession, name: str) -> Secret | None:
    """Return a secret by ARN or name, also one scheduled for deletion; None if there is none."""
    answer = session.call("secretsmanager", "DescribeSecret", SecretId=name)
    return Secret(
        answer["ARN"],
        answer.get("DeletedDate") is not None,
        answer.get("KmsKeyId") or None,
    )


def secret_is_usable(session: AwsSession, arn: str) -> bool:
    """Return whether a secret exists and is not scheduled for deletion."""
    found = secret(session, arn)
    return found is not None and not found.deleted
