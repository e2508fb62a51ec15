"""Stacks of templates in S3 are unknown in a replay, and what names them."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.probes.calls import Answer
from clusterwright_localaws.probes.model import Call
from clusterwright_localaws.recordings.replay import Replay, Replayed

STACK = "arn:aws:cloudformation:us-east-1:111122223333:stack/app/0a1b"
CHANGES = "arn:aws:cloudformation:us-east-1:111122223333:changeSet/c/0a1b"
OF_S3 = {"StackName": "app", "TemplateURL": "https://s3.amazonaws.com/b/k"}


def line(operation: str, parameters: Any, answer: Any, service: str) -> dict[str, Any]:
    return {
        "service": service,
        "operation": operation,
        "region": "us-east-1",
        "parameters": parameters,
        "status": 200,
        "error": None,
        "answer": answer,
    }


def replayed(*lines: dict[str, Any]) -> tuple[list[Replayed], list[Call]]:
    calls: list[Call] = []

    def ask(call: Call, region: str) -> Answer:
        calls.append(call)
        return Answer(400, code="ValidationError", message="no")

    return Replay(ask).run(lines), calls


@pytest.mark.parametrize(
    "template", [OF_S3, {"StackName": "app", "TemplateBody": {"bytes": 5}}], ids=["s3", "unread"]
)
@pytest.mark.parametrize(
    ("operation", "parameters"),
    [
        ("DescribeStacks", {"StackName": "app"}),
        ("DescribeStackEvents", {"StackName": STACK}),
        ("DescribeChangeSet", {"ChangeSetName": CHANGES}),
        ("DescribeStacks", {}),
    ],
)
def test_stack_and_what_is_said_of_it_is_unknown(
    template: Any, operation: str, parameters: Any
) -> None:
    made = line("CreateChangeSet", template, {"Id": CHANGES, "StackId": STACK}, "cloudformation")
    read = line(operation, parameters, {}, "cloudformation")
    results, calls = replayed(made, read)
    assert calls == []
    assert [one.verdict for one in results] == ["unknown", "unknown"]
    assert results[0].reason == "the recording does not have the template, only its size"
    assert "not in the recording" in results[1].reason


def test_call_that_names_the_stack_is_unknown_if_it_differs() -> None:
    made = line("CreateStack", OF_S3, {"StackId": STACK}, "cloudformation")
    read = line("HeadBucket", {"Bucket": "app-bucket-1"}, {}, "s3")
    other = line("HeadBucket", {"Bucket": "other"}, {}, "s3")
    results, _ = replayed(made, read, other)
    assert [one.verdict for one in results] == ["unknown", "unknown", "different"]
    assert results[1].reason == "call 1 made app; its template is not in the recording"


def test_other_stacks_are_compared() -> None:
    made = line("CreateStack", OF_S3, {"StackId": STACK}, "cloudformation")
    read = line("DescribeStacks", {"StackName": "network"}, {}, "cloudformation")
    results, calls = replayed(made, read)
    assert [one.verdict for one in results] == ["unknown", "different"]
    assert len(calls) == 1
