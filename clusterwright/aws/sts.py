"""STS: the account of the credentials."""

from __future__ import annotations

from dataclasses import dataclass

from clusterwright.aws.session import AwsSession


@dataclass(frozen=True)
class Caller:
    """Whose credentials are used: a 12-digit account and the ARN of a user or session."""

    account: str
    arn: str


def caller(session: AwsSession) -> Caller:
    """Return whose credentials the session has.

    Raises
    ------
    AwsUnavailable
        There are none, or STS did not answer.
    """
    answer = session.call("sts", "GetCallerIdentity")
    return Caller(str(answer["Account"]), str(answer["Arn"]))


def account(session: AwsSession) -> str:
    """Return the 12-digit account of the session's credentials."""
    return caller(session).account
