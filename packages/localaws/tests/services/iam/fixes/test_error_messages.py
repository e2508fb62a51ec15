"""Tests of services.iam.fixes.error_messages."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize(
    ("service", "operation", "parameters"),
    [
        ("iam", "get_role", {"RoleName": "r"}),
        ("sns", "get_topic_attributes", {"TopicArn": "arn:aws:sns:us-east-1:123456789012:t"}),
    ],
)
def test_message_is_written_once(service: str, operation: str, parameters: dict[str, str]) -> None:
    with pytest.raises(ClientError) as caught:
        getattr(client(service), operation)(**parameters)
    assert caught.value.response["Error"]["Message"]
    assert "message" not in caught.value.response
    assert "message" not in caught.value.response["Error"]
