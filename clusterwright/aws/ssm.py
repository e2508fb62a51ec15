"""Parameters."""

from __future__ import annotations

from clusterwright.aws.errors import none_if_not_found
from clusterwright.aws.session import AwsSession


@none_if_not_found("ParameterNotFound")
def parameter(session: AwsSession, name: str) -> str | None:
    """Return the value of a parameter; None if there is none of that name."""
    return str(session.call("ssm", "GetParameter", Name=name)["Parameter"]["Value"])
