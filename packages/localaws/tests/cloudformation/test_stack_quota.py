"""The quota of stacks."""

from __future__ import annotations

import json

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client, refusal

TEMPLATE = json.dumps({"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}})
REFUSED = ("LimitExceededException", "Limit for stack has been exceeded")


def test_stacks_beyond_the_quota_are_refused() -> None:
    with local_aws(quotas={"cloudformation/L-0485CB21": 1}):
        stacks = client("cloudformation")
        stacks.create_stack(StackName="a", TemplateBody=TEMPLATE)
        assert refusal(stacks.create_stack, StackName="b", TemplateBody=TEMPLATE) == REFUSED
        change = {"StackName": "b", "TemplateBody": TEMPLATE, "ChangeSetName": "c"}
        assert refusal(stacks.create_change_set, **change, ChangeSetType="CREATE") == REFUSED
        # An update needs no further stack; a deleted stack no longer counts.
        stacks.update_stack(
            StackName="a",
            TemplateBody=json.dumps({"Resources": {"Queue": {"Type": "AWS::SQS::Queue"}}}),
        )
        stacks.get_waiter("stack_update_complete").wait(StackName="a")
        stacks.delete_stack(StackName="a")
        stacks.get_waiter("stack_delete_complete").wait(StackName="a")
        stacks.create_stack(StackName="b", TemplateBody=TEMPLATE)
