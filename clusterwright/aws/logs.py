"""Log groups."""

from __future__ import annotations

from clusterwright.aws.session import AwsSession


def log_group_names(session: AwsSession, prefix: str) -> tuple[str, ...]:
    """Return the names of the log groups that begin with `prefix`."""
    return tuple(
        group["logGroupName"]
        for group in session.items(
            "logs", "DescribeLogGroups", "logGroups", logGroupNamePrefix=prefix
        )
    )
