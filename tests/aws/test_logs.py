"""The newest streams and lines of log groups."""

from __future__ import annotations

import datetime as dt

from botocore.stub import Stubber

from clusterwright.aws import logs
from clusterwright.aws.session import AwsSession

SINCE = dt.datetime(2026, 11, 23, tzinfo=dt.UTC)
MILLISECONDS = int(SINCE.timestamp() * 1000)


def test_streams_are_those_with_the_newest_events(session: AwsSession) -> None:
    page = {"logStreams": [{"logStreamName": "a"}, {"logStreamName": "b"}], "nextToken": "more"}
    with Stubber(session.client("logs")) as stub:
        stub.add_response(
            "describe_log_streams",
            page,
            {"logGroupName": "g", "orderBy": "LastEventTime", "descending": True},
        )
        assert [s["logStreamName"] for s in logs.newest_streams(session, "g", 1)] == ["a"]


def test_lines_of_streams_with_a_prefix_are_of_every_page(session: AwsSession) -> None:
    def page(stream: str, text: str) -> dict[str, object]:
        event = {"logStreamName": stream, "timestamp": MILLISECONDS, "message": text}
        return {"events": [{**event, "ingestionTime": 0, "eventId": "1"}]}

    asked = {"logGroupName": "g", "logStreamNamePrefix": "D/", "startTime": MILLISECONDS}
    with Stubber(session.client("logs")) as stub:
        first = {**page("D/1", "x"), "nextToken": "more"}
        stub.add_response("filter_log_events", first, asked)
        stub.add_response("filter_log_events", page("E/1", "y"), {**asked, "nextToken": "more"})
        found = logs.lines_of_streams(session, "g", "D/", SINCE)
    assert found == (("D/1", SINCE, "x"),)


def test_lines_are_one_page_from_the_end(session: AwsSession) -> None:
    page = {
        "events": [{"timestamp": MILLISECONDS + 500, "message": "x", "ingestionTime": 0}],
        "nextForwardToken": "f",
        "nextBackwardToken": "b",
    }
    with Stubber(session.client("logs")) as stub:
        stub.add_response(
            "get_log_events",
            page,
            {
                "logGroupName": "g",
                "logStreamName": "s",
                "startTime": MILLISECONDS,
                "startFromHead": False,
            },
        )
        found = logs.newest_lines(session, "g", "s", SINCE)
    assert found == ((SINCE + dt.timedelta(milliseconds=500), "x"),)
