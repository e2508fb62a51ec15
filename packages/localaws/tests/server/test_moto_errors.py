"""Tests of server.moto_errors."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusterwright_localaws.server.moto_errors import with_clean_message
from packages.localaws.tests.parts import client, refusal

MARKED = (
    "InvalidRequestException",
    "You tried to perform the operation on a secret that's currently marked deleted.",
)


def _deleted_secret() -> tuple[str, str]:
    secrets = client("secretsmanager")
    secrets.create_secret(Name="s", SecretString="v")
    secrets.delete_secret(SecretId="s")
    return refusal(secrets.get_secret_value, SecretId="s")


def _window() -> tuple[str, str]:
    secrets = client("secretsmanager")
    secrets.create_secret(Name="s", SecretString="v")
    return refusal(secrets.delete_secret, SecretId="s", RecoveryWindowInDays=1)


def _messages() -> tuple[str, str]:
    sqs = client("sqs")
    url = sqs.create_queue(QueueName="q")["QueueUrl"]
    return refusal(sqs.receive_message, QueueUrl=url, MaxNumberOfMessages=11)


def _published() -> tuple[str, str]:
    sns = client("sns")
    arn = sns.create_topic(Name="t")["TopicArn"]
    return refusal(sns.publish, TopicArn=arn, Message="x" * 300_000)


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize(
    ("refused", "expected"),
    [
        (_deleted_secret, MARKED),
        (
            _window,
            (
                "InvalidParameterException",
                "The RecoveryWindowInDays value must be between 7 and 30 days (inclusive).",
            ),
        ),
        (
            _messages,
            (
                "InvalidParameterValue",
                "Value 11 for parameter MaxNumberOfMessages is invalid. Reason: must be between 1 "
                "and 10, if provided.",
            ),
        ),
        (_published, ("InvalidParameter", "Invalid parameter: Message too long")),
    ],
)
def test_messages_are_those_of_the_service(refused: Any, expected: tuple[str, str]) -> None:
    assert refused() == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (json.dumps({"__type": "A", "message": "a  b"}), None),
        ("not JSON, with the spaces of source:" + " " * 17, None),
        (
            '{"message": "An error occurred (A) when calling the B operation"}',
            '{"message": ""}',
        ),
        (
            "<Error><Code>A</Code><Message>An error occurred (A) when calling the B operation: "
            f"it{' ' * 17}is</Message></Error>",
            "<Error><Code>A</Code><Message>it is</Message></Error>",
        ),
    ],
)
def test_bodies(body: str, expected: str | None) -> None:
    headers = {"Content-Length": str(len(body))}
    found = with_clean_message((400, headers, body))
    assert found == ((400, headers, body) if expected is None else (400, {}, expected))
    assert with_clean_message((200, headers, body)) == (200, headers, body)
