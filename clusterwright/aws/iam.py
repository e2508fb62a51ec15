"""Policies."""

from __future__ import annotations

from clusterwright.aws.errors import is_not_found
from clusterwright.aws.session import AwsSession


def policy_exists(session: AwsSession, arn: str) -> bool:
    """Whether a managed policy exists."""
    try:
        session.call("iam", "GetPolicy", PolicyArn=arn)
    except Exception as error:
        if is_not_found(error):
            return False
        raise
    return True
