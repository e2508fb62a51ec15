"""Parameters."""

from __future__ import annotations

from clusterwright.aws.errors import AwsUnavailable, is_not_found
from clusterwright.aws.session import AwsSession


def parameter(session: AwsSession, name: str) -> str | None:
    """The value of a parameter; None where there is none of that name."""
    try:
        return str(session.call("ssm", "GetParameter", Name=name)["Parameter"]["Value"])
    except AwsUnavailable as error:
        if error.code == "ParameterNotFound" or is_not_found(error):
            return None
        raise
