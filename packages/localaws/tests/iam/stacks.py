"""Stacks created by callers with limited permissions."""

from __future__ import annotations

import json
import time
from typing import Any

from packages.localaws.tests.iam.conftest import (
    Keys,
)

TOPIC = {"Resources": {"Topic": {"Type": "AWS::SNS::Topic", "Properties": {"TopicName": "t"}}}}


def create(keys: Keys, template: dict[str, Any] = TOPIC, **more: Any) -> tuple[str, list[str]]:
    """Create a stack; return its status and the reasons of failures."""
    cloudformation = keys("cloudformation")
    cloudformation.create_stack(StackName="s", TemplateBody=json.dumps(template), **more)
    status = "CREATE_IN_PROGRESS"
    while status.endswith("_IN_PROGRESS"):
        time.sleep(0.01)
        found = cloudformation.describe_stacks(StackName="s")["Stacks"][0]
        status = str(found["StackStatus"])
    events = cloudformation.describe_stack_events(StackName="s")["StackEvents"]
    return status, [
        event["ResourceStatusReason"]
        for event in events
        if event["ResourceStatus"].endswith("_FAILED") and event["ResourceType"].count("::") > 1
        and event["ResourceType"] != "AWS::CloudFormation::Stack"
    ]  # fmt: skip
