"""Tests of services.sqs.fixes.policy_kept."""

from __future__ import annotations

import json

import pytest

from packages.localaws.tests.parts import client


@pytest.mark.usefixtures("aws")
class TestQueuePolicy:
    def test_policy_is_kept_when_other_attributes_change(self) -> None:
        sqs = client("sqs")
        url = sqs.create_queue(QueueName="q")["QueueUrl"]

        def policy() -> str | None:
            answer = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])
            return answer["Attributes"].get("Policy")

        assert policy() is None
        statement = {"Effect": "Allow", "Principal": "*", "Action": "sqs:SendMessage"}
        text = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": text})
        sqs.set_queue_attributes(QueueUrl=url, Attributes={"DelaySeconds": "5"})
        assert policy() == text
        # An empty policy deletes it.
        sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": ""})
        assert policy() is None
