"""Tests of services.sns.deliveries, deduplication and notifications: what queues receive."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from moto.sns.models import sns_backends

from clusterwright_localaws.core.runtime import runtime
from clusterwright_localaws.services.sns import message_bodies
from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")

ARN = "arn:aws:sqs:us-east-1:123456789012:"


def topic(name: str = "t", **attributes: str) -> str:
    if name.endswith(".fifo"):
        attributes["FifoTopic"] = "true"
    return str(client("sns").create_topic(Name=name, Attributes=attributes)["TopicArn"])


def queue(name: str = "q") -> str:
    kind = {"FifoQueue": "true"} if name.endswith(".fifo") else {}
    return str(client("sqs").create_queue(QueueName=name, Attributes=kind)["QueueUrl"])


def subscribe(arn: str, name: str = "q", **attributes: str) -> str:
    request = {"TopicArn": arn, "Protocol": "sqs", "Endpoint": ARN + name}
    return str(client("sns").subscribe(**request, Attributes=attributes)["SubscriptionArn"])


def received(url: str) -> list[dict[str, Any]]:
    found = client("sqs").receive_message(
        QueueUrl=url,
        MaxNumberOfMessages=10,
        AttributeNames=["All"],
        MessageAttributeNames=["All"],
    )
    return list(found.get("Messages", []))


def body(url: str) -> dict[str, Any]:
    (message,) = received(url)
    return dict(json.loads(message["Body"]))


@pytest.mark.parametrize(
    ("given", "version", "algorithm"),
    [({}, "1", hashes.SHA1()), ({"SignatureVersion": "2"}, "2", hashes.SHA256())],
)
def test_signature(given: dict[str, str], version: str, algorithm: Any) -> None:
    url, arn = queue(), topic(**given)
    made = subscribe(arn)
    attributes = {"n": {"DataType": "Number", "StringValue": "1.50"}}
    client("sns").publish(TopicArn=arn, Message="é", Subject="s", MessageAttributes=attributes)
    found = body(url)
    assert list(found) == [
        "Type",
        "MessageId",
        "TopicArn",
        "Subject",
        "Message",
        "Timestamp",
        "SignatureVersion",
        "Signature",
        "SigningCertURL",
        "UnsubscribeURL",
        "MessageAttributes",
    ]
    assert (found["SignatureVersion"], found["MessageAttributes"]) == (
        version,
        {"n": {"Type": "Number", "Value": "1.50"}},
    )
    assert found["UnsubscribeURL"].endswith(f"/?Action=Unsubscribe&SubscriptionArn={made}")
    file = found["SigningCertURL"].rsplit("/", 1)[-1]
    keys = sns_backends["123456789012"]["us-east-1"]._message_public_keys
    public = x509.load_pem_x509_certificate(keys[file]).public_key()
    names = ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type")
    text = "".join(f"{name}\n{found[name]}\n" for name in names)
    assert isinstance(public, rsa.RSAPublicKey)
    public.verify(
        base64.b64decode(found["Signature"]), text.encode(), padding.PKCS1v15(), algorithm
    )


@pytest.mark.parametrize(
    ("own", "expected"), [('{"a": 1}', '{"a": 1}'), ({"a": 1}, "d"), (None, "d")]
)
def test_text_for_a_protocol(own: Any, expected: str) -> None:
    url, arn = queue(), topic()
    subscribe(arn)
    message = json.dumps({"default": "d", "sqs": own})
    client("sns").publish(TopicArn=arn, Message=message, MessageStructure="json")
    assert body(url)["Message"] == expected


def test_raw_messages_keep_their_attributes() -> None:
    url, arn = queue(), topic()
    subscribe(arn, RawMessageDelivery="true")
    attributes = {
        "b": {"DataType": "Binary", "BinaryValue": b"\x02\x03"},
        "s": {"DataType": "String", "StringValue": "x"},
    }
    client("sns").publish(TopicArn=arn, Message="m", MessageAttributes=attributes)
    (found,) = received(url)
    assert (found["Body"], found["MessageAttributes"]) == ("m", attributes)


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


@pytest.mark.parametrize("kind", ["", ".fifo"])
def test_dead_letter_queue(kind: str) -> None:
    gone, dead, left = queue(f"gone{kind}"), queue(f"dead{kind}"), queue(f"left{kind}")
    arn = topic(f"t{kind}")
    policy = json.dumps({"deadLetterTargetArn": f"{ARN}dead{kind}"})
    subscribe(arn, f"gone{kind}", RedrivePolicy=policy, RawMessageDelivery="true")
    subscribe(arn, f"left{kind}")
    client("sqs").delete_queue(QueueUrl=gone)
    more = {"MessageGroupId": "g", "MessageDeduplicationId": "d"} if kind else {}
    client("sns").publish(TopicArn=arn, Message="m", **more)
    (found,) = received(dead)
    assert found["Body"] == "m"
    assert found["Attributes"].get("MessageGroupId") == more.get("MessageGroupId")
    assert len(received(left)) == 1


def test_queues_of_fifo_and_of_standard_topics() -> None:
    request = {"Protocol": "sqs", "Endpoint": f"{ARN}q.fifo"}
    found = refusal(client("sns").subscribe, TopicArn=topic(), **request)
    assert found[1] == (
        "Invalid parameter: Invalid parameter: Endpoint Reason: FIFO SQS Queues can not be "
        "subscribed to standard SNS topics"
    )
    arn = topic("t.fifo")
    policy = json.dumps({"deadLetterTargetArn": f"{ARN}dead"})
    assert subscribe(arn, "q", RedrivePolicy=policy)
    request["Attributes"] = {"RedrivePolicy": policy}  # type: ignore[assignment]
    assert "must use a FIFO queue" in refusal(client("sns").subscribe, TopicArn=arn, **request)[1]


def test_a_message_that_takes_too_long_to_match(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(message_bodies, "_MOST_STEPS", 0)
    monkeypatch.setattr(runtime(), "log", said.append)
    arn, left, other = topic(), queue(), queue("other")
    subscribe(arn, FilterPolicyScope="MessageBody", FilterPolicy='{"a": ["x"]}')
    subscribe(arn, "other")
    client("sns").publish(TopicArn=arn, Message='{"a": "x"}')
    assert (len(received(left)), len(received(other))) == (0, 1)
    assert "matching its filter policy takes too long" in said[-1]


def test_more_than_a_hundred_subscribers() -> None:
    arn, urls = topic(), [queue(f"q{number}") for number in range(102)]
    for number in range(102):
        subscribe(arn, f"q{number}")
    client("sns").publish(TopicArn=arn, Message="m")
    assert len(received(urls[-1])) == 1
