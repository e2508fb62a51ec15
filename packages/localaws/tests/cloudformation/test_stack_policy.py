"""Stack policies: what they allow and deny in an update."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.stack_policy import (
    DELETE,
    MODIFY,
    REPLACE,
    read_policy,
    refusal,
)
from packages.localaws.tests.cloudformation.stacks import (
    Pretend,
    cloudformation,
    create,
    parameter,
    reason,
    template,
    update,
)

EVERYTHING = {"Effect": "Allow", "Principal": "*", "Action": "Update:*", "Resource": "*"}


def policy(*statements: dict[str, Any]) -> dict[str, Any]:
    return dict(read_policy(json.dumps({"Statement": list(statements)})))


def denied(**more: Any) -> dict[str, Any]:
    return {"Effect": "Deny", "Principal": "*", **more}


def test_no_stack_policy_allows_every_update() -> None:
    assert refusal(None, DELETE, "Db", "AWS::RDS::DBInstance") is None


def test_stack_policy_denies_by_default() -> None:
    only = policy({**EVERYTHING, "Resource": "LogicalResourceId/Web*"})
    assert refusal(only, MODIFY, "WebA", "AWS::SNS::Topic") is None
    message = refusal(only, MODIFY, "Db", "AWS::SNS::Topic")
    assert message == (
        "Action denied by stack policy: No statement allows [Update:Modify] for resource "
        "[LogicalResourceId/Db]"
    )


@pytest.mark.parametrize(
    ("statement", "refused"),
    [
        (denied(Action="Update:*", Resource="LogicalResourceId/Db"), {MODIFY, REPLACE, DELETE}),
        (denied(Action=[REPLACE, DELETE], Resource="*"), {REPLACE, DELETE}),
        (denied(NotAction=MODIFY, Resource="*"), {REPLACE, DELETE}),
        (denied(Action="Update:*", NotResource="LogicalResourceId/Db"), set()),
        (
            denied(
                Action=DELETE,
                Resource="*",
                Condition={"StringEquals": {"ResourceType": ["AWS::RDS::DBInstance"]}},
            ),
            {DELETE},
        ),
        (
            denied(
                Action=DELETE,
                Resource="*",
                Condition={"StringLike": {"ResourceType": "AWS::EC2::*"}},
            ),
            set(),
        ),
    ],
)
def test_deny_takes_precedence(statement: dict[str, Any], refused: set[str]) -> None:
    rules = policy(EVERYTHING, statement)
    found = {
        action
        for action in (MODIFY, REPLACE, DELETE)
        if refusal(rules, action, "Db", "AWS::RDS::DBInstance")
    }
    assert found == refused


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        "[]",
        '{"Statement": {}}',
        '{"Statement": [{"Effect": "Maybe", "Principal": "*", "Action": "*", "Resource": "*"}]}',
        '{"Statement": [{"Effect": "Deny", "Principal": "me", "Action": "*", "Resource": "*"}]}',
        '{"Statement": [{"Effect": "Deny", "Principal": "*", "Resource": "*"}]}',
    ],
)
def test_what_is_no_policy(text: str) -> None:
    with pytest.raises(ValidationError, match="Error validating stack policy"):
        read_policy(text)


class TestInAnUpdate:
    GUARDED = json.dumps(
        {"Statement": [EVERYTHING, denied(Action="Update:*", Resource="LogicalResourceId/P")]}
    )

    def test_protected_resource_is_not_changed(self, pretend: Pretend) -> None:
        create("one", template({"P": parameter("1"), "Q": parameter("1")}))
        cloudformation().set_stack_policy(StackName="one", StackPolicyBody=self.GUARDED)
        shown = cloudformation().get_stack_policy(StackName="one")["StackPolicyBody"]
        assert json.loads(shown) == json.loads(self.GUARDED)
        stack = update("one", template({"P": parameter("2"), "Q": parameter("1")}))
        assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
        assert "Action denied by stack policy" in reason("one", "P", "UPDATE_FAILED")
        assert pretend.did("update") == []

    def test_unprotected_resources_are_changed(self, pretend: Pretend) -> None:
        create(
            "one",
            template({"P": parameter("1"), "Q": parameter("1")}),
            StackPolicyBody=self.GUARDED,
        )
        stack = update("one", template({"P": parameter("1"), "Q": parameter("2")}))
        assert stack["StackStatus"] == "UPDATE_COMPLETE"
        assert pretend.did("update") == ["Q"]

    def test_policy_during_update_applies_once(self, pretend: Pretend) -> None:
        create("one", template({"P": parameter("1")}), StackPolicyBody=self.GUARDED)
        allowing = json.dumps({"Statement": [EVERYTHING]})
        stack = update(
            "one", template({"P": parameter("2")}), StackPolicyDuringUpdateBody=allowing
        )
        assert stack["StackStatus"] == "UPDATE_COMPLETE"
        stack = update("one", template({"P": parameter("3")}))
        assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"

    @pytest.mark.usefixtures("pretend")
    def test_invalid_stack_policy_in_a_request_is_refused(self) -> None:
        create("one", template({"P": parameter("1")}))
        with pytest.raises(ClientError, match="Error validating stack policy"):
            cloudformation().set_stack_policy(StackName="one", StackPolicyBody="{}")
