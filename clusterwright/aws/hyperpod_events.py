"""Events of HyperPod clusters, and their metadata."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, Final

from clusterwright.aws.errors import AwsUnavailable, none_if_not_found
from clusterwright.aws.session import AwsSession

_PAGE: Final = 100


@none_if_not_found()
def event_summaries(
    session: AwsSession, name: str, since: dt.datetime, maximum: int
) -> tuple[Mapping[str, Any], ...] | None:
    """Return the newest events of a cluster; None if there is no such cluster.

    Only clusters with NodeProvisioningMode Continuous have events; for others there are none.

    Raises
    ------
    AwsUnavailable
        AWS did not answer.
    """
    found: list[Mapping[str, Any]] = []
    try:
        for page in session.pages(
            "sagemaker",
            "ListClusterEvents",
            ClusterName=name,
            EventTimeAfter=since,
            SortBy="EventTime",
            SortOrder="Descending",
            MaxResults=_PAGE,
        ):
            found += page["Events"]
            if len(found) >= maximum:
                break
    except AwsUnavailable as error:
        if error.code in ("ValidationException", "ValidationError"):
            return ()
        raise
    return tuple(found[:maximum])


def event_metadata(session: AwsSession, name: str, event_id: str) -> Mapping[str, Any]:
    """Return the metadata of an event, which only DescribeClusterEvent has.

    Raises
    ------
    AwsUnavailable
        AWS did not answer.
    """
    answer = session.call("sagemaker", "DescribeClusterEvent", ClusterName=name, EventId=event_id)
    details = (answer.get("EventDetails") or {}).get("EventDetails") or {}
    return details.get("EventMetadata") or {}
