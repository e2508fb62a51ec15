"""Helpers of handlers: properties as parameters, tags, policies."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import boto3
import pytest
from botocore.exceptions import ClientError
from botocore.stub import Stubber

from clusterwright_localaws.cloudformation.handler import Context, HandlerFailure
from clusterwright_localaws.cloudformation.handler_helpers import (
    changed,
    delete_settled,
    difference,
    ec2_tags,
    key_value_map,
    lower_first,
    pick,
    policy_text,
    ready,
    retag,
    retag_ec2,
    text_attributes,
)

PAIRS = [{"Key": "a", "Value": "1"}]


def context(client: Any = None, **more: Any) -> Context:
    found = Context(
        account="111122223333",
        region="us-east-1",
        partition="aws",
        stack_name="s",
        stack_id="arn",
        logical_id="L",
        resource_type="AWS::EC2::VPC",
        token="t",
        pause=lambda _: None,
        **{"stack_tags": {}, **more},
    )
    if client is not None:
        found.client = lambda service, *, region=None: client  # type: ignore[method-assign]
    return found


def test_properties_as_parameters() -> None:
    properties = {"A": 1, "B": None, "C": 3}
    assert pick(properties, "A", "B", "D", C="c", E="e") == {"A": 1, "B": None, "c": 3}


def test_a_policy_as_text() -> None:
    assert policy_text('{"a": 1}') == '{"a": 1}'
    assert policy_text({"a": [1]}) == '{"a": [1]}'


def test_a_difference_in_any_of_the_named_properties() -> None:
    assert changed({"A": 1}, {"A": 1, "B": 2}, "A", "B")
    assert not changed({"A": 1}, {"A": 1, "B": 2}, "A")


def test_tags_of_ec2_at_creation() -> None:
    assert ec2_tags(context(), "vpc", None) == {}
    (found,) = ec2_tags(context(stack_tags={"team": "x"}), "vpc", PAIRS)["TagSpecifications"]
    assert found == {"ResourceType": "vpc", "Tags": [{"Key": "team", "Value": "x"}, *PAIRS]}


def test_tags_of_ec2_in_an_update() -> None:
    ec2 = Mock()
    retag_ec2(
        context(ec2, previous_stack_tags={"old": "1"}), "vpc-1", {"Tags": []}, {"Tags": PAIRS}
    )
    ec2.delete_tags.assert_called_once_with(Resources=["vpc-1"], Tags=[{"Key": "old"}])
    ec2.create_tags.assert_called_once_with(Resources=["vpc-1"], Tags=PAIRS)


def test_tags_that_stay_need_no_call() -> None:
    keys = {"aws_access_key_id": "a", "aws_secret_access_key": "b"}
    fsx = boto3.client("fsx", "us-east-1", **keys)
    fsx.tag_resource, fsx.untag_resource = Mock(), Mock()
    retag(context(fsx), "fsx", {"Tags": PAIRS}, {"Tags": PAIRS}, ResourceARN="arn")
    fsx.tag_resource.assert_not_called()
    fsx.untag_resource.assert_not_called()
    retag(context(fsx), "fsx", {"Tags": PAIRS}, {}, ResourceARN="arn")
    fsx.untag_resource.assert_called_once_with(ResourceARN="arn", TagKeys=["a"])
    retag(context(fsx), "fsx", {}, {"Tags": PAIRS}, ResourceARN="arn")
    fsx.tag_resource.assert_called_once_with(ResourceARN="arn", Tags=PAIRS)


@pytest.mark.parametrize(
    ("service", "call", "tags"),
    [
        ("amp", "tag_resource", {"tags": {"a": "1"}}),
        ("ecr", "tag_resource", {"tags": PAIRS}),
        ("kms", "tag_resource", {"Tags": [{"TagKey": "a", "TagValue": "1"}]}),
    ],
)
def test_tags_in_the_form_of_an_api(service: str, call: str, tags: dict[str, Any]) -> None:
    client = boto3.client(service, region_name="us-east-1")
    name = {"amp": "resourceArn", "ecr": "resourceArn", "kms": "KeyId"}[service]
    with Stubber(client) as stub:
        stub.add_response(call, {}, {name: "arn:thing/12345", **tags})
        retag(context(client), service, {}, {"Tags": PAIRS}, **{name: "arn:thing/12345"})
        stub.assert_no_pending_responses()


class Missing:
    """A status that passes from state to state, and is not found at last."""

    def __init__(self, *states: str) -> None:
        self.states = list(states)
        self.deleted = 0

    def __call__(self) -> str:
        if not self.states:
            raise ClientError({"Error": {"Code": "ThingNotFoundException"}}, "Describe")
        return self.states.pop(0)

    def delete(self) -> None:
        self.deleted += 1


@pytest.mark.parametrize(
    ("states", "deleted"),
    [
        (("CREATING", "ACTIVE", "ACTIVE", "DELETING"), 1),
        (("creating", "available", "available", "deleting"), 1),
        (("DELETING", "DELETING", "DELETING"), 0),
        ((), 0),
    ],
)
def test_a_deletion_waits_for_a_change_and_is_done_once(
    states: tuple[str, ...], deleted: int
) -> None:
    thing = Missing(*states)
    delete_settled(context(), thing, thing.delete, "the thing")
    assert (thing.deleted, thing.states) == (deleted, [])


@pytest.mark.parametrize("state", ["DELETE_FAILED", "DeleteFailed"])
def test_a_deletion_that_fails_is_not_waited_for(state: str) -> None:
    states = iter(["ACTIVE", "ACTIVE", "DELETING", state])
    with pytest.raises(HandlerFailure, match=r"the thing is DELETE_?FAILED"):
        delete_settled(context(), lambda: next(states), Mock(), "the thing")


def test_other_errors_of_a_status_are_not_hidden() -> None:
    def status() -> str:
        raise ClientError({"Error": {"Code": "AccessDenied"}}, "Describe")

    with pytest.raises(ClientError, match="AccessDenied"):
        delete_settled(context(), status, Mock(), "the thing")


def test_ready_waits_for_the_state_that_it_wants() -> None:
    states = iter(["CREATING", "UPDATING", "ACTIVE"])
    found = ready(context(), lambda: {"status": next(states), "x": 1}, "the thing")
    assert found == {"status": "ACTIVE", "x": 1}
    answer = {"State": "running"}
    assert ready(context(), lambda: answer, "i-1", status="State", wanted="running") == answer


@pytest.mark.parametrize(
    ("failure", "message"),
    [(lambda found: None, "Instance i-1 is terminated"), (lambda found: found["why"], "spot")],
)
def test_ready_fails_in_another_state(failure: Any, message: str) -> None:
    answer = {"State": "terminated", "why": "spot"}
    with pytest.raises(HandlerFailure, match=message) as caught:
        ready(
            context(),
            lambda: answer,
            "Instance i-1",
            status="State",
            wanted=("running", "stopped"),
            failure=failure,
        )
    assert caught.value.code == "NotStabilized"


def test_attributes_are_text() -> None:
    properties = {"FifoTopic": False, "ContentBasedDeduplication": True, "DisplayName": "x"}
    names = ("FifoTopic", "ContentBasedDeduplication", "DisplayName", "Other")
    assert text_attributes(properties, names) == {
        "ContentBasedDeduplication": "true",
        "DisplayName": "x",
    }
    assert text_attributes({"P": {"a": [1]}}, ("P",)) == {"P": '{"a": [1]}'}


def test_items_that_an_update_removes_and_adds() -> None:
    assert difference({"A": [1, 2]}, {"A": [2, 3]}, "A") == ([1], [3])
    assert difference({}, {"A": [1]}, "A") == ([], [1])


def test_keys_in_the_case_of_an_api() -> None:
    value = {"RoleArn": "Ab", "Items": [{"Name": 1}, "Text"]}
    assert lower_first(value) == {"roleArn": "Ab", "items": [{"name": 1}, "Text"]}


def test_pairs_as_a_mapping() -> None:
    assert key_value_map([*PAIRS, {"Key": "b", "Value": "2"}]) == {"a": "1", "b": "2"}
