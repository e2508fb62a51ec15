"""Who is asking."""

from __future__ import annotations

from clusterwright.aws.session import AwsSession


def account(session: AwsSession) -> str:
    """The 12-digit account of the session's credentials."""
    return str(session.call("sts", "GetCallerIdentity")["Account"])
