"""Events of HyperPod clusters."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import pytest
from botocore.stub import ANY, Stubber

from clusterwright.aws import hyperpod_events
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession

WHEN = dt.datetime(2026, 11, 23, tzinfo=dt.UTC)
EVENT = {
    "EventId": "0a1b2c3d-0000-4000-8000-000000000001",
    "ClusterArn": "arn:aws:sagemaker:us-east-1:111122223333:cluster/0a1b2c3d4e5f",
    "ClusterName": "prod",
    "ResourceType": "Instance",
    "EventTime": WHEN,
}


@pytest.fixture
def stub(session: AwsSession) -> Iterator[Stubber]:
    with Stubber(session.client("sagemaker")) as stub:
        yield stub


def test_events_end_at_the_maximum(session: AwsSession, stub: Stubber) -> None:
    page = {"Events": [EVENT, EVENT], "NextToken": "more"}
    stub.add_response(
        "list_cluster_events",
        page,
        dict.fromkeys(("ClusterName", "EventTimeAfter", "SortBy", "SortOrder", "MaxResults"), ANY),
    )
    found = hyperpod_events.event_summaries(session, "prod", WHEN, 1)
    assert found is not None
    assert len(found) == 1


@pytest.mark.parametrize(
    ("code", "events"), [("ValidationException", ()), ("ResourceNotFound", None)]
)
def test_clusters_without_events_and_no_cluster(
    session: AwsSession, stub: Stubber, code: str, events: object
) -> None:
    stub.add_client_error("list_cluster_events", code, "only with Continuous")
    assert hyperpod_events.event_summaries(session, "prod", WHEN, 10) == events


def test_refused_events_are_an_error(session: AwsSession, stub: Stubber) -> None:
    stub.add_client_error("list_cluster_events", "AccessDeniedException", "no", 403)
    with pytest.raises(AwsUnavailable, match="sagemaker:ListClusterEvents"):
        hyperpod_events.event_summaries(session, "prod", WHEN, 10)


def test_metadata_is_inside_the_details(session: AwsSession, stub: Stubber) -> None:
    metadata = {"Instance": {"FailureMessage": "EFA"}}
    details = {**EVENT, "EventDetails": {"EventMetadata": metadata}}
    stub.add_response(
        "describe_cluster_event",
        {"EventDetails": details},
        {"ClusterName": "prod", "EventId": EVENT["EventId"]},
    )
    stub.add_response(
        "describe_cluster_event",
        {"EventDetails": EVENT},
        {"ClusterName": "prod", "EventId": EVENT["EventId"]},
    )
    ident = str(EVENT["EventId"])
    assert hyperpod_events.event_metadata(session, "prod", ident) == metadata
    assert hyperpod_events.event_metadata(session, "prod", ident) == {}
