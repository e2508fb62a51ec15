"""Secrets: whether they exist, never what they hold."""

from __future__ import annotations

from clusterwright.aws.errors import is_not_found
from clusterwright.aws.session import AwsSession


def secret_is_usable(session: AwsSession, arn: str) -> bool:
    """Whether a secret exists and is not marked for deletion."""
    try:
        answer = session.call("secretsmanager", "DescribeSecret", SecretId=arn)
    except Exception as error:
        if is_not_found(error):
            return False
        raise
    return answer.get("DeletedDate") is None
