"""FIFO topics leave out duplicates."""

from __future__ import annotations

import json

import pytest

from clusterwright_localaws.core.runtime import runtime
from packages.localaws.tests.parts import client
from packages.localaws.tests.services.sns.queues import (
    queue,
    received,
    subscribe,
    topic,
)

pytestmark = pytest.mark.usefixtures("aws")


def test_fifo_topics_number_messages_and_leave_out_duplicates() -> None:
    url, plain, arn = (
        queue("q.fifo"),
        queue("p"),
        topic("t.fifo", ContentBasedDeduplication="true"),
    )
    subscribe(arn, "q.fifo")
    subscribe(arn, "p")
    sns = client("sns")
    first = sns.publish(TopicArn=arn, Message="m", MessageGroupId="g")
    entries = [
        {"Id": "a", "Message": "m", "MessageGroupId": "g"},
        {"Id": "b", "Message": "n", "MessageGroupId": "g", "MessageDeduplicationId": "d"},
    ]
    batch = sns.publish_batch(TopicArn=arn, PublishBatchRequestEntries=entries)["Successful"]
    same, other = batch
    assert (same["MessageId"], same["SequenceNumber"]) == (
        first["MessageId"],
        first["SequenceNumber"],
    )
    assert int(other["SequenceNumber"]) > int(first["SequenceNumber"])
    assert len(other["SequenceNumber"]) == 20
    found = received(url)
    ids = [one["Attributes"]["MessageDeduplicationId"] for one in found]
    # The SHA-256 of the message, where it names no id.
    digest = "62c66a7a5dd70c3146618063c344e531e6d4b59e379808443ce962b3abd63c5a"
    assert ids == [digest, "d"]
    assert json.loads(found[0]["Body"])["SequenceNumber"] == first["SequenceNumber"]
    assert "Signature" not in json.loads(found[0]["Body"])
    in_plain = received(plain)
    assert len(in_plain) == 2
    assert not {"MessageGroupId", "SequenceNumber"} & in_plain[0]["Attributes"].keys()
    runtime().clock.advance(301)
    again = sns.publish(TopicArn=arn, Message="m", MessageGroupId="g")
    assert again["MessageId"] != first["MessageId"]


def test_duplicates_in_another_group() -> None:
    url, arn = queue("q.fifo"), topic("t.fifo", FifoThroughputScope="MessageGroup")
    subscribe(arn, "q.fifo")
    for group in ("g", "h", "g"):
        client("sns").publish(
            TopicArn=arn, Message=group, MessageGroupId=group, MessageDeduplicationId="d" + group
        )
    assert len(received(url)) == 2
