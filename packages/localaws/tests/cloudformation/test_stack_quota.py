"""The quota of stacks."""

from __future__ import annotations

import json
import threading

from clusterwright_localaws import local_aws
from clusterwright_localaws.cloudformation.store import store_at
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


def test_usage_by_others_counts() -> None:
    quota = "cloudformation/L-0485CB21"
    with local_aws(quotas={quota: 3}, usage={quota: 2}):
        stacks = client("cloudformation")
        stacks.create_stack(StackName="a", TemplateBody=TEMPLATE)
        assert refusal(stacks.create_stack, StackName="b", TemplateBody=TEMPLATE) == REFUSED


def test_stacks_are_created_while_others_hold_the_runtime() -> None:
    """Who counts the quota's usage holds the runtime's lock and takes the store's."""
    with local_aws(quotas={"cloudformation/L-0485CB21": 5}) as runtime:
        store = store_at("123456789012", "us-east-1")
        adding = threading.Thread(target=store.add, args=("a",), daemon=True)
        with runtime.lock:
            adding.start()
            adding.join(60)
            assert not adding.is_alive()
        assert [one.name for one in store.stacks()] == ["a"]
