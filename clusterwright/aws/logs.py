"""Log groups."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from clusterwright.aws.session import AwsSession


def log_group_names(session: AwsSession, prefix: str) -> tuple[str, ...]:
    """Return the names of the log groups that begin with `prefix`."""
    return tuple(
        group["logGroupName"]
        for group in session.items(
            "logs", "DescribeLogGroups", "logGroups", logGroupNamePrefix=prefix
        )
    )


def newest_streams(session: AwsSession, group: str, maximum: int) -> tuple[Mapping[str, Any], ...]:
    """Return the streams of a log group with the newest events, newest first.

    Raises
    ------
    AwsUnavailable
        The streams cannot be listed.
    """
    found: list[Mapping[str, Any]] = []
    for page in session.pages(
        "logs", "DescribeLogStreams", logGroupName=group, orderBy="LastEventTime", descending=True
    ):
        found += page["logStreams"]
        if len(found) >= maximum:
            break
    return tuple(found[:maximum])


def lines_of_streams(
    session: AwsSession, group: str, prefix: str, since: dt.datetime
) -> tuple[tuple[str, dt.datetime, str], ...]:
    """Return stream, time and text of the lines since a time, of streams that begin with `prefix`.

    Raises
    ------
    AwsUnavailable
        The log group cannot be read.
    """
    return tuple(
        (
            event["logStreamName"],
            dt.datetime.fromtimestamp(event["timestamp"] / 1000, dt.UTC),
            str(event["message"]),
        )
        for page in session.pages(
            "logs",
            "FilterLogEvents",
            logGroupName=group,
            logStreamNamePrefix=prefix,
            startTime=int(since.timestamp() * 1000),
        )
        for event in page["events"]
        # moto ignores the prefix.
        if event["logStreamName"].startswith(prefix)
    )


def newest_lines(
    session: AwsSession, group: str, stream: str, since: dt.datetime
) -> tuple[tuple[dt.datetime, str], ...]:
    """Return the newest lines of a stream since a time, oldest first: at most 1 MiB of them.

    Raises
    ------
    AwsUnavailable
        The stream cannot be read.
    """
    page: Mapping[str, Any] = next(
        iter(
            session.pages(
                "logs",
                "GetLogEvents",
                logGroupName=group,
                logStreamName=stream,
                startTime=int(since.timestamp() * 1000),
                startFromHead=False,
            )
        ),
        {"events": []},
    )
    return tuple(
        (dt.datetime.fromtimestamp(event["timestamp"] / 1000, dt.UTC), str(event["message"]))
        for event in page["events"]
    )
