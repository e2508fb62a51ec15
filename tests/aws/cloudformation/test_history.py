"""Stacks with deleted ones, bounded events, and change sets that failed."""

from __future__ import annotations

import datetime as dt

from botocore.stub import Stubber

from clusterwright.aws.cloudformation import history
from clusterwright.aws.session import AwsSession

WHEN = dt.datetime(2026, 11, 23, tzinfo=dt.UTC)


def test_stacks_have_their_root_and_time_of_deletion(session: AwsSession) -> None:
    summary = {"StackName": "n", "CreationTime": WHEN, "StackStatus": "DELETE_COMPLETE"}
    nested = {**summary, "StackId": "i", "ParentId": "p", "RootId": "r", "DeletionTime": WHEN}
    with Stubber(session.client("cloudformation")) as stub:
        stub.add_response("list_stacks", {"StackSummaries": [nested, summary]}, {})
        found = history.stack_summaries(session)
    assert found == (
        history.StackSummary("i", "n", "DELETE_COMPLETE", "", "r", WHEN),
        history.StackSummary("n", "n", "DELETE_COMPLETE", "", "", None),
    )


def test_events_end_at_the_maximum(session: AwsSession) -> None:
    def event(number: int) -> dict[str, object]:
        return {"StackId": "i", "EventId": str(number), "StackName": "n", "Timestamp": WHEN}

    with Stubber(session.client("cloudformation")) as stub:
        stub.add_response(
            "describe_stack_events",
            {"StackEvents": [event(1), event(2)], "NextToken": "more"},
            {"StackName": "i"},
        )
        found = history.stack_events(session, "i", 2)
    assert [e["EventId"] for e in found] == ["1", "2"]


def test_failed_change_sets_are_newest_first(session: AwsSession) -> None:
    def change_set(name: str, status: str, day: int) -> dict[str, object]:
        when = WHEN + dt.timedelta(days=day)
        reason = {"StatusReason": "no"} if status == "FAILED" else {}
        return {"ChangeSetName": name, "Status": status, "CreationTime": when, **reason}

    sets = [change_set("a", "FAILED", 0), change_set("b", "CREATE_COMPLETE", 1)]
    sets.append(change_set("c", "FAILED", 2))
    with Stubber(session.client("cloudformation")) as stub:
        stub.add_response("list_change_sets", {"Summaries": sets}, {"StackName": "i"})
        found = history.failed_change_sets(session, "i")
    assert [s["ChangeSetName"] for s in found] == ["c", "a"]
