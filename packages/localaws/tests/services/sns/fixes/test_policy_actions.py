"""Tests of services.sns.fixes.policy_actions."""

from __future__ import annotations

import json

import pytest

from packages.localaws.tests.parts import client, refusal

ACCOUNT = "123456789012"


@pytest.mark.usefixtures("aws")
def test_permissions_of_documented_actions() -> None:
    sns = client("sns")
    topic = sns.create_topic(Name="topic")["TopicArn"]
    given = {"TopicArn": topic, "AWSAccountId": [ACCOUNT]}
    names = ["ListTagsForResource", "GetDataProtectionPolicy", "PutDataProtectionPolicy"]
    sns.add_permission(**given, Label="more", ActionName=names)
    policy = json.loads(sns.get_topic_attributes(TopicArn=topic)["Attributes"]["Policy"])
    assert policy["Statement"][-1]["Action"] == [f"SNS:{name}" for name in names]
    assert refusal(sns.add_permission, **given, Label="x", ActionName=["CreateTopic"]) == (
        "InvalidParameter",
        "Invalid parameter: Policy statement action out of service scope!",
    )
