"""Tests of services.sns.confirmations and http_endpoints."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import boto3
import pytest
from botocore import UNSIGNED
from botocore.config import Config

from clusterwright_localaws.services.sns import http_endpoints
from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")

URL = "http://127.0.0.1:8080/news?a=b"
Requests = list[tuple[str, dict[str, str], str]]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Requests:
    """The requests to endpoints: address, headers and body; nothing is sent."""
    found: Requests = []

    def post(url: Any, headers: dict[str, str], body: bytes) -> None:
        if url.path == "/broken":
            raise ValueError("status 500")
        found.append((url.geturl(), headers, body.decode()))

    monkeypatch.setattr(http_endpoints, "_post", post)

    def submit(_endpoint: str, work: Callable[[], None]) -> bool:
        work()
        return True

    monkeypatch.setattr(http_endpoints._queues, "submit", submit)
    return found


def topic(name: str = "t", **attributes: str) -> str:
    return str(client("sns").create_topic(Name=name, Attributes=attributes)["TopicArn"])


def subscribe(arn: str, url: str = URL, **attributes: str) -> str:
    found = client("sns").subscribe(
        TopicArn=arn,
        Protocol=url.split(":", maxsplit=1)[0],
        Endpoint=url,
        Attributes=attributes,
        ReturnSubscriptionArn=True,
    )
    return str(found["SubscriptionArn"])


def attributes_of(arn: str) -> dict[str, str]:
    return dict(client("sns").get_subscription_attributes(SubscriptionArn=arn)["Attributes"])


def test_an_endpoint_confirms_before_it_gets_messages(sent: Requests) -> None:
    sns, arn = client("sns"), topic()
    made = subscribe(arn)
    assert attributes_of(made)["PendingConfirmation"] == "true"
    again = sns.subscribe(TopicArn=arn, Protocol="http", Endpoint=URL)
    assert again["SubscriptionArn"] == "pending confirmation"
    sns.publish(TopicArn=arn, Message="too early")
    ((address, headers, body),) = sent
    assert (address, headers["x-amz-sns-message-type"]) == (URL, "SubscriptionConfirmation")
    asked = json.loads(body)
    assert asked["Message"].startswith(f"You have chosen to subscribe to the topic {arn}.\nTo")
    query = f"/?Action=ConfirmSubscription&TopicArn={arn}&Token={asked['Token']}"
    assert asked["SubscribeURL"].endswith(query)
    assert asked["Signature"]
    for _ in range(2):
        confirmed = sns.confirm_subscription(TopicArn=arn, Token=asked["Token"])
        assert confirmed["SubscriptionArn"] == made
    attributes = attributes_of(made)
    assert (attributes["PendingConfirmation"], attributes["ConfirmationWasAuthenticated"]) == (
        "false",
        "false",
    )
    message_id = sns.publish(TopicArn=arn, Message="m")["MessageId"]
    _, headers, body = sent[-1]
    assert headers == {
        "x-amz-sns-message-type": "Notification",
        "x-amz-sns-message-id": message_id,
        "x-amz-sns-topic-arn": arn,
        "x-amz-sns-subscription-arn": made,
        "Content-Type": "text/plain; charset=UTF-8",
        "User-Agent": "Amazon Simple Notification Service Agent",
        "Accept-Encoding": "gzip,deflate",
    }
    assert json.loads(body)["Message"] == "m"


def unsigned() -> Any:
    config = Config(signature_version=UNSIGNED)
    return boto3.client("sns", region_name="us-east-1", config=config)


def test_a_visit_ends_a_subscription(sent: Requests) -> None:
    arn = topic()
    made = subscribe(arn)
    token = json.loads(sent[0][2])["Token"]
    # Without a signature nobody has authenticated.
    unsigned().confirm_subscription(TopicArn=arn, Token=token, AuthenticateOnUnsubscribe="true")
    assert attributes_of(made)["ConfirmationWasAuthenticated"] == "false"
    unsigned().unsubscribe(SubscriptionArn=made)
    _, headers, body = sent[-1]
    assert headers["x-amz-sns-message-type"] == "UnsubscribeConfirmation"
    assert json.loads(body)["Message"].startswith(
        f"You have chosen to deactivate subscription {made}"
    )


def test_subscriptions_that_no_visit_ends(sent: Requests) -> None:
    sns, arn = client("sns"), topic()
    confirmed = subscribe(arn)
    token = json.loads(sent[0][2])["Token"]
    sns.confirm_subscription(TopicArn=arn, Token=token, AuthenticateOnUnsubscribe="true")
    queue = "arn:aws:sqs:us-east-1:123456789012:q"
    request = {"TopicArn": arn, "Protocol": "sqs", "Endpoint": queue}
    for made in (confirmed, sns.subscribe(**request)["SubscriptionArn"]):
        assert refusal(unsigned().unsubscribe, SubscriptionArn=made)[0] == "AuthorizationError"
        assert attributes_of(made)
        sns.unsubscribe(SubscriptionArn=made)
    assert sns.list_subscriptions()["Subscriptions"] == []
    assert len(sent) == 1


def test_raw_messages_and_content_types(sent: Requests) -> None:
    sns = client("sns")
    policy = {"http": {"defaultRequestPolicy": {"headerContentType": "application/json"}}}
    arn = topic(DeliveryPolicy=json.dumps(policy))
    subscribe(arn, RawMessageDelivery="true")
    sns.confirm_subscription(TopicArn=arn, Token=json.loads(sent[0][2])["Token"])
    sns.publish(TopicArn=arn, Message="m")
    _, headers, body = sent[-1]
    assert (body, headers["x-amz-sns-rawdelivery"]) == ("m", "true")
    assert headers["Content-Type"] == "application/json"


def test_what_an_endpoint_does_not_take_is_a_dead_letter(sent: Requests) -> None:
    sns, sqs, arn = client("sns"), client("sqs"), topic()
    url = sqs.create_queue(QueueName="dead")["QueueUrl"]
    policy = json.dumps({"deadLetterTargetArn": "arn:aws:sqs:us-east-1:123456789012:dead"})
    made = subscribe(arn, RedrivePolicy=policy)
    sns.confirm_subscription(TopicArn=arn, Token=json.loads(sent[0][2])["Token"])
    from moto.sns.models import sns_backends

    subscriptions = sns_backends["123456789012"]["us-east-1"].subscriptions
    subscriptions[made].endpoint = "http://localhost/broken"
    sns.publish(TopicArn=arn, Message="m")
    assert "m" in sqs.receive_message(QueueUrl=url)["Messages"][0]["Body"]


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://localhost:1/x", True),
        ("https://127.0.0.9", True),
        ("http://[::1]:1/", True),
        ("http://example.com", False),
        ("http://10.0.0.1/", False),
        ("http://localhost.example.com/", False),
    ],
)
def test_only_this_machine_gets_requests(sent: Requests, url: str, *, local: bool) -> None:
    assert http_endpoints.is_local(urlsplit(url)) is local
    subscribe(topic(), url)
    assert len(sent) == local


@pytest.mark.parametrize(
    ("request_", "problem"),
    [
        ({"TopicArn": "none", "Token": "ab"}, "Invalid parameter: Topic"),
        ({"TopicArn": "arn:aws:sns:eu-west-1:1:t", "Token": "ab"}, "Invalid parameter: Topic"),
        ({"Token": "random"}, "Invalid token"),
        ({"Token": "abc123"}, "Invalid parameter: Token"),
    ],
)
def test_confirmations_that_are_refused(request_: dict[str, str], problem: str) -> None:
    request = {"TopicArn": "arn:aws:sns:us-east-1:123456789012:t", **request_}
    found = refusal(client("sns").confirm_subscription, **request)
    assert found[:2] == ("InvalidParameter", problem)
