"""Tests of server.moto_errors."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusterwright_localaws.server.moto_errors import with_clean_message
from packages.localaws.tests.parts import client, refusal

MARKED = (
    "InvalidRequestException",
    "You can't perform this operation on the secret because it was marked for deletion.",
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
    found = with_clean_message("sqs", (400, headers, body))
    assert found == ((400, headers, body) if expected is None else (400, {}, expected))
    assert with_clean_message("sqs", (200, headers, body)) == (200, headers, body)


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize(
    ("operation", "asked", "expected"),
    [
        ("get_role", {"RoleName": "r"}, "The role with name r cannot be found."),
        (
            "get_instance_profile",
            {"InstanceProfileName": "p"},
            "Instance Profile p cannot be found.",
        ),
        ("get_group", {"GroupName": "g"}, "The group with name g cannot be found."),
    ],
)
def test_what_does_not_exist_in_iam(operation: str, asked: dict[str, str], expected: str) -> None:
    assert refusal(getattr(client("iam"), operation), **asked)[:2] == ("NoSuchEntity", expected)


@pytest.mark.usefixtures("aws")
def test_an_inline_policy_that_does_not_exist() -> None:
    iam = client("iam")
    trust = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "ec2.amazonaws.com"},
                "Action": "sts:AssumeRole",
            }
        ],
    }
    iam.create_role(RoleName="r", AssumeRolePolicyDocument=json.dumps(trust))
    found = refusal(iam.get_role_policy, RoleName="r", PolicyName="p")
    assert found[1] == "The role policy with name p cannot be found."
