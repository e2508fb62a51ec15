"""Plans as change sets show them."""

from __future__ import annotations

from packages.localaws.tests.cloudformation.change_sets import changes, plan
from packages.localaws.tests.cloudformation.stacks import (
    Pretend,
    cloudformation,
    create,
    named,
    parameter,
    settled,
    template,
    update,
)


def test_a_change_set_lists_the_changes(pretend: Pretend) -> None:
    create(
        "s",
        template(
            {
                "Same": parameter("1"),
                "Changed": parameter("1"),
                "Replaced": named("one"),
                "User": parameter({"Ref": "Replaced"}),
                "Gone": parameter("g", DeletionPolicy="Retain"),
            }
        ),
    )
    found = changes(
        plan(
            "s",
            template(
                {
                    "Same": parameter("1"),
                    "Changed": parameter("2"),
                    "Replaced": {**named("two"), "UpdateReplacePolicy": "Retain"},
                    "User": parameter({"Ref": "Replaced"}),
                    "Added": parameter("a"),
                }
            ),
        )
    )
    assert set(found) == {"Changed", "Replaced", "User", "Added", "Gone"}
    changed = found["Changed"]
    assert (changed["Action"], changed["Replacement"], changed["Scope"]) == (
        "Modify",
        "False",
        ["Properties"],
    )
    (detail,) = changed["Details"]
    assert detail["Target"] == {
        "Attribute": "Properties",
        "Name": "Value",
        "RequiresRecreation": "Never",
        "Path": "/Properties/Value",
        "BeforeValue": "1",
        "AfterValue": "2",
        "AttributeChangeType": "Modify",
    }
    assert (detail["ChangeSource"], detail["Evaluation"]) == ("DirectModification", "Static")
    replaced = found["Replaced"]
    assert (replaced["Replacement"], replaced["PolicyAction"]) == ("True", "ReplaceAndRetain")
    assert replaced["Details"][0]["Target"]["RequiresRecreation"] == "Always"
    by_reference, direct = found["User"]["Details"]
    assert (by_reference["ChangeSource"], by_reference["CausingEntity"]) == (
        "ResourceReference",
        "Replaced",
    )
    assert by_reference["Evaluation"] == "Static"
    assert (direct["ChangeSource"], direct["Evaluation"]) == ("DirectModification", "Dynamic")
    plain = cloudformation().describe_change_set(StackName="s", ChangeSetName="c")
    (shown,) = changes(plain)["User"]["Details"]
    assert (shown["ChangeSource"], shown["Evaluation"]) == ("ResourceReference", "Static")
    assert by_reference["Target"]["AfterValue"] == "{{changeSet:KNOWN_AFTER_APPLY}}"
    assert (found["Gone"]["Action"], found["Gone"]["PolicyAction"]) == ("Remove", "Retain")
    assert pretend.did("update") == []


def test_a_property_that_forces_a_replacement_by_reference_is_conditional(
    pretend: Pretend,
) -> None:
    create("s", template({"A": named("one"), "B": named({"Ref": "A"})}))  # type: ignore[arg-type]
    found = changes(plan("s", template({"A": named("two"), "B": named({"Ref": "A"})})))  # type: ignore[arg-type]
    assert found["B"]["Replacement"] == "Conditional"
    assert found["B"]["Details"][0]["Target"]["RequiresRecreation"] == "Conditionally"


def test_a_parameter_is_named_as_the_cause(pretend: Pretend) -> None:
    body = template({"A": parameter({"Ref": "P"})}, Parameters={"P": {"Type": "String"}})
    value = {"ParameterKey": "P", "ParameterValue": "1"}
    create("s", body, Parameters=[value])
    planned = plan("s", body, Parameters=[{**value, "ParameterValue": "2"}])
    details = changes(planned)["A"]["Details"]
    assert [
        (one["ChangeSource"], one.get("CausingEntity"), one["Evaluation"]) for one in details
    ] == [
        ("ParameterReference", "P", "Static"),
        ("DirectModification", None, "Dynamic"),
    ]
    plain = cloudformation().describe_change_set(StackName="s", ChangeSetName="c")
    assert len(changes(plain)["A"]["Details"]) == 2


def test_values_are_answered_only_on_request(pretend: Pretend) -> None:
    create("s", template({"A": parameter("secret")}))
    plan("s", template({"A": parameter("other")}))
    plain = cloudformation().describe_change_set(StackName="s", ChangeSetName="c")
    assert "secret" not in str(plain["Changes"])
    assert changes(plain)["A"]["Details"][0]["Target"] == {
        "Attribute": "Properties",
        "Name": "Value",
        "RequiresRecreation": "Never",
    }


def test_users_of_attributes_are_listed_only_without_values(pretend: Pretend) -> None:
    users = {
        "User": parameter({"Fn::GetAtt": ["A", "Value"]}),
        "Indirect": parameter({"Fn::Sub": "${User.Value}"}),
        "ByName": parameter({"Ref": "A"}),
    }
    create("s", template({"A": parameter("1"), **users}))
    planned = plan("s", template({"A": parameter("2"), **users}))
    assert set(changes(planned)) == {"A"}
    plain = cloudformation().describe_change_set(StackName="s", ChangeSetName="c")
    assert [one["ResourceChange"]["LogicalResourceId"] for one in plain["Changes"]] == [
        "A",
        "User",
        "Indirect",
    ]
    user = changes(plain)["User"]
    assert (user["Action"], user["Replacement"], user["Scope"]) == (
        "Modify",
        "False",
        ["Properties"],
    )
    assert user["Details"] == [
        {
            "Target": {"Attribute": "Properties", "Name": "Value", "RequiresRecreation": "Never"},
            "Evaluation": "Dynamic",
            "ChangeSource": "ResourceAttribute",
            "CausingEntity": "A.Value",
        }
    ]
    cloudformation().execute_change_set(StackName="s", ChangeSetName="c")
    assert settled("s")["StackStatus"] == "UPDATE_COMPLETE"


def test_name_that_uses_an_attribute_may_be_replaced(pretend: Pretend) -> None:
    user = {"User": named({"Fn::GetAtt": ["A", "Value"]})}  # type: ignore[arg-type]
    create("s", template({"A": parameter("1"), **user}))
    plan("s", template({"A": parameter("2"), **user}))
    plain = cloudformation().describe_change_set(StackName="s", ChangeSetName="c")
    found = changes(plain)["User"]
    assert found["Replacement"] == "Conditional"
    assert found["Details"][0]["Target"]["RequiresRecreation"] == "Always"


def test_change_of_metadata_only_is_listed(pretend: Pretend) -> None:
    create("s", template({"A": parameter("1")}))
    planned = plan("s", template({"A": parameter("1", Metadata={"k": "v"})}))
    assert changes(planned)["A"]["Scope"] == ["Metadata"]
    cloudformation().execute_change_set(StackName="s", ChangeSetName="c")
    assert settled("s")["StackStatus"] == "UPDATE_COMPLETE"
    assert pretend.did("update") == []
    detail = cloudformation().describe_stack_resource(StackName="s", LogicalResourceId="A")
    assert detail["StackResourceDetail"]["Metadata"] == '{"k": "v"}'


def test_replacement_is_planned_from_the_current_resource(pretend: Pretend) -> None:
    create("s", template({"A": named("one"), "B": parameter({"Ref": "A"})}))
    update("s", template({"A": named("two"), "B": parameter({"Ref": "A"})}))
    planned = plan("s", template({"A": named("two", "w"), "B": parameter({"Ref": "A"})}))
    assert list(changes(planned)) == ["A"]
