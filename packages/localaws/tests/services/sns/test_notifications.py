"""The messages that subscribers of SNS get."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from moto.sns.models import sns_backends

from packages.localaws.tests.parts import client
from packages.localaws.tests.services.sns.queues import (
    body,
    queue,
    received,
    subscribe,
    topic,
)

pytestmark = pytest.mark.usefixtures("aws")


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
