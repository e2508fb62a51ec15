"""Plans: what an operation would do to each resource, before anything is touched."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.cloudformation.api.common import draft
from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.evaluate import NO_VALUE, UNKNOWN
from clusterwright_localaws.cloudformation.planning import (
    CREATE,
    KEEP,
    REPLACE,
    UPDATE,
    Plan,
    attribute_of,
    handler_of,
    make_plan,
    output_text,
)
from clusterwright_localaws.cloudformation.state import Resource, Revision, Stack
from clusterwright_localaws.cloudformation.store import Store
from clusterwright_localaws.cloudformation.template import Template
from packages.localaws.tests.cloudformation.stacks import (
    ACCOUNT,
    REGION,
    named,
    parameter,
    resource,
    template,
)


def revision(
    resources: dict[str, Any], tags: dict[str, str] | None = None, **more: Any
) -> Revision:
    return Revision(Template.read(template(resources, **more), region=REGION), {}, tags or {})


def deployed(resources: dict[str, Any], **more: Any) -> Stack:
    """A stack whose resources exist as their template says."""
    stack = draft(Store(ACCOUNT, REGION), "s")
    stack.status, stack.revision = "CREATE_COMPLETE", revision(resources, **more)
    for name, definition in resources.items():
        stack.resources[name] = Resource(
            name,
            definition["Type"],
            f"{name}-1",
            "CREATE_COMPLETE",
            None,
            stack.created,
            definition,
            properties=definition["Properties"],
            attributes={"Arn": f"arn:{name}"},
        )
    return stack


def plan(stack: Stack, resources: dict[str, Any], **more: Any) -> Plan:
    return make_plan(stack, revision(resources, **more), lambda name: f"value of {name}")


def actions(found: Plan) -> dict[str, str]:
    return {name: step.action for name, step in found.steps.items()}


def test_creation_in_order_with_unknown_references() -> None:
    found = plan(
        draft(Store(ACCOUNT, REGION), "s"),
        {"B": parameter({"Ref": "A"}), "A": parameter({"Fn::ImportValue": "x"})},
    )
    assert actions(found) == {"A": CREATE, "B": CREATE}
    assert list(found.steps) == ["A", "B"]
    assert found.steps["A"].properties["Value"] == "value of x"
    assert found.steps["B"].properties["Value"] is UNKNOWN
    assert not found.changes_nothing


def test_each_kind_of_change() -> None:
    before = {
        "Kept": parameter("1"),
        "Changed": parameter("1"),
        "Replaced": named("one"),
        "Removed": parameter("1"),
        "User": parameter({"Ref": "Replaced"}),
    }
    stack = deployed(before)
    found = plan(
        stack,
        {
            "Kept": parameter("1"),
            "Changed": parameter("2"),
            "Replaced": named("two"),
            "User": parameter({"Ref": "Replaced"}),
            "New": parameter({"Ref": "Kept"}),
        },
    )
    assert actions(found) == {
        "Kept": KEEP,
        "Changed": UPDATE,
        "Replaced": REPLACE,
        "User": UPDATE,
        "New": CREATE,
    }
    assert found.removed == ["Removed"]
    assert found.steps["User"].properties["Value"] is UNKNOWN
    assert found.steps["New"].properties["Value"] == "Kept-1"


def test_the_same_again_changes_nothing() -> None:
    stack = deployed({"A": parameter("1")})
    assert plan(stack, {"A": parameter("1")}).changes_nothing


@pytest.mark.parametrize(
    ("resources", "more"),
    [
        ({"A": parameter("1", Metadata={"m": 1})}, {}),
        ({"A": parameter("1", DeletionPolicy="Retain")}, {}),
        ({"A": parameter("1")}, {"tags": {"team": "a"}}),
        ({"A": parameter("1")}, {"Outputs": {"O": {"Value": {"Ref": "A"}}}}),
    ],
)
def test_what_is_a_change_without_a_changed_property(
    resources: dict[str, Any], more: dict[str, Any]
) -> None:
    assert not plan(deployed({"A": parameter("1")}), resources, **more).changes_nothing


def test_after_a_failure_the_same_is_tried_again() -> None:
    stack = deployed({"A": parameter("1")})
    stack.status = "UPDATE_FAILED"
    assert not plan(stack, {"A": parameter("1")}).changes_nothing


def test_violations_are_collected() -> None:
    found = plan(draft(Store(ACCOUNT, REGION), "s"), {"A": resource("AWS::SNS::Topic", {"X": 1})})
    ((step, violation),) = found.violations
    assert step.logical_id == "A"
    assert "X" in str(violation)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            {"A": parameter("1")},
            {"A": resource("AWS::SNS::Topic")},
            r"modifies resource type of the following resources: \[A\]",
        ),
        (
            {},
            {"A": parameter("1", DeletionPolicy="Snapshot")},
            r"DeletionPolicy of A: .*does not support the policy Snapshot",
        ),
        ({}, {"A": resource("Custom::Mine")}, "it runs no Lambda functions. It carries Custom::"),
    ],
)
def test_refused_plans(before: dict[str, Any], after: dict[str, Any], message: str) -> None:
    stack = deployed(before) if before else draft(Store(ACCOUNT, REGION), "s")
    with pytest.raises(ValidationError, match=message):
        plan(stack, after)


def test_types_have_handlers() -> None:
    assert handler_of("AWS::SNS::Topic").type_name == "AWS::SNS::Topic"
    with pytest.raises(ValidationError, match="does not support the resource type AWS::X::Y"):
        handler_of("AWS::X::Y")


class TestAttributes:
    def test_of_the_handler_then_of_the_properties(self) -> None:
        found = deployed({"A": parameter("1")}).resources["A"]
        assert attribute_of(found, "Arn") == "arn:A"
        assert attribute_of(found, "Value") == "1"
        assert attribute_of(found, "None", default=UNKNOWN) is UNKNOWN
        with pytest.raises(ValidationError, match=r"attribute None of AWS::SSM::Parameter \(A\)"):
            attribute_of(found, "None")

    def test_of_a_nested_stack(self) -> None:
        nested = resource("AWS::CloudFormation::Stack", {"TemplateURL": "x"})
        found = deployed({"N": nested}).resources["N"]
        with pytest.raises(
            ValidationError, match=r"undefined output Outputs\.X of nested stack N"
        ):
            attribute_of(found, "Outputs.X")


@pytest.mark.parametrize(("value", "expected"), [(5, "5"), (True, "true"), ("x", "x")])
def test_outputs_are_text(value: Any, expected: str) -> None:
    assert output_text(value) == expected


@pytest.mark.parametrize("value", [["a"], {"a": 1}, NO_VALUE])
def test_what_is_no_text(value: Any) -> None:
    with pytest.raises(ValidationError, match="must evaluate to a String"):
        output_text(value)
