"""STS: the account of the credentials."""

from __future__ import annotations

from clusterwright.aws.session import AwsSession


def account(session: AwsSession) -> str:
    """Return the 12-digit account of the session's credentials."""
    return str(session.call("sts", "GetCallerIdentity")["Account"])
