"""What operations on stacks share: settings, refusals, and the answer after the end."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws.cloudformation.api import common
from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.store import Store
from packages.localaws.tests.cloudformation.stacks import (
    ACCOUNT,
    REGION,
    cloudformation,
    parameter,
    template,
)

ONE = template({"P": parameter("1")})


@pytest.mark.usefixtures("local")
@pytest.mark.parametrize("method", ["create_stack", "create_change_set"])
def test_unsupported_deployment_mode_is_refused(method: str) -> None:
    more = {"ChangeSetName": "x"} if method == "create_change_set" else {}
    with pytest.raises(ClientError, match="does not have the deployment mode EXPRESS"):
        getattr(cloudformation(), method)(
            StackName="one", TemplateBody=ONE, DeploymentConfig={"Mode": "EXPRESS"}, **more
        )


def test_a_draft_is_in_no_store() -> None:
    store = Store(ACCOUNT, "cn-north-1")
    found = common.draft(store, "s")
    assert found.stack_id.startswith(f"arn:aws-cn:cloudformation:cn-north-1:{ACCOUNT}:stack/s/")
    assert found.status == "REVIEW_IN_PROGRESS"
    assert store.stacks() == []


@pytest.mark.parametrize(
    ("status", "message"),
    [
        ("CREATE_COMPLETE", None),
        ("UPDATE_ROLLBACK_COMPLETE", None),
        ("UPDATE_FAILED", None),
        ("ROLLBACK_COMPLETE", "is in ROLLBACK_COMPLETE state and can not be updated."),
        ("DELETE_FAILED", "is in DELETE_FAILED state and can not be updated."),
        ("UPDATE_IN_PROGRESS", "is in UPDATE_IN_PROGRESS state and can not be updated."),
    ],
)
def test_states_that_can_be_updated(status: str, message: str | None) -> None:
    stack = common.draft(Store(ACCOUNT, REGION), "s")
    stack.status = status
    if message is None:
        common.refuse_unless_updatable(stack)
        return
    with pytest.raises(ValidationError) as caught:
        common.refuse_unless_updatable(stack)
    assert caught.value.message == f"Stack:{stack.stack_id} {message}"


def test_an_update_begins_with_its_event() -> None:
    stack = common.draft(Store(ACCOUNT, REGION), "s")
    common.begin_update(stack, "token")
    assert (stack.status, stack.reason) == ("UPDATE_IN_PROGRESS", "User Initiated")
    assert stack.updated is not None
    assert [(event.status, event.token) for event in stack.events] == [
        ("UPDATE_IN_PROGRESS", "token")
    ]


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ({}, None),
        ({"StackPolicyBody": '{"Statement": []}'}, '{"Statement": []}'),
        ({"StackPolicyDuringUpdateBody": "x"}, None),
    ],
)
def test_the_text_of_a_stack_policy(request_: dict[str, Any], expected: str | None) -> None:
    assert common.policy_text(Store(ACCOUNT, REGION), request_, "StackPolicy") == expected


def test_a_stack_policy_by_url_is_refused() -> None:
    request = {"StackPolicyURL": "https://s3.amazonaws.com/b/k"}
    with pytest.raises(ValidationError, match="supports only the body of a stack policy"):
        common.policy_text(Store(ACCOUNT, REGION), request, "StackPolicy")
