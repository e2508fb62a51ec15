from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws.cloudformation.changesets import NO_CHANGES
from packages.localaws.tests.cloudformation.stacks import (
    Pretend,
    cloudformation,
    create,
    described,
    history,
    outputs,
    parameter,
    resource,
    settled,
    template,
    update,
)


def plan(name: str, body: str, kind: str = "UPDATE", **options: Any) -> dict[str, Any]:
    """Create a change set and describe it."""
    cloudformation().create_change_set(
        StackName=name,
        ChangeSetName="c",
        ChangeSetType=kind,
        TemplateBody=body,
        Capabilities=["CAPABILITY_NAMED_IAM"],
        **options,
    )
    return cloudformation().describe_change_set(
        StackName=name, ChangeSetName="c", IncludePropertyValues=True
    )


def changes(change_set: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found = [change["ResourceChange"] for change in change_set["Changes"]]
    return {item["LogicalResourceId"]: item for item in found}


def named(name: str, value: Any = "v") -> dict[str, Any]:
    return resource("AWS::SSM::Parameter", {"Type": "String", "Name": name, "Value": value})


def test_a_new_stack_by_a_change_set(pretend: Pretend) -> None:
    body = template(
        {"A": parameter("1")}, Outputs={"O": {"Value": {"Ref": "A"}, "Export": {"Name": "e"}}}
    )
    planned = plan("s", body, "CREATE")
    assert (planned["Status"], planned["ExecutionStatus"]) == ("CREATE_COMPLETE", "AVAILABLE")
    added = changes(planned)["A"]
    assert (added["Action"], added["ResourceType"]) == ("Add", "AWS::SSM::Parameter")
    assert json.loads(added["AfterContext"])["Properties"] == {"Type": "String", "Value": "1"}
    assert described("s")["StackStatus"] == "REVIEW_IN_PROGRESS"
    assert pretend.calls == []
    cloudformation().execute_change_set(StackName="s", ChangeSetName="c")
    stack = settled("s")
    assert (stack["StackStatus"], outputs(stack)) == ("CREATE_COMPLETE", {"O": "A-1"})
    assert stack["ChangeSetId"] == planned["ChangeSetId"]
    assert [export["Name"] for export in cloudformation().list_exports()["Exports"]] == ["e"]
    done = cloudformation().describe_change_set(ChangeSetName=planned["ChangeSetId"])
    assert done["ExecutionStatus"] == "EXECUTE_COMPLETE"
    assert history("s")[:2] == [("s", "REVIEW_IN_PROGRESS"), ("s", "CREATE_IN_PROGRESS")]


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
    (by_reference,) = found["User"]["Details"]
    assert (by_reference["ChangeSource"], by_reference["CausingEntity"]) == (
        "ResourceReference",
        "Replaced",
    )
    assert by_reference["Evaluation"] == "Dynamic"
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
    (detail,) = changes(planned)["A"]["Details"]
    assert (detail["ChangeSource"], detail["CausingEntity"]) == ("ParameterReference", "P")


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


def test_no_changes_is_a_failed_change_set(pretend: Pretend) -> None:
    body = template({"A": parameter("1")})
    create("s", body)
    planned = plan("s", body)
    assert (planned["Status"], planned["ExecutionStatus"]) == ("FAILED", "UNAVAILABLE")
    assert planned["StatusReason"] == NO_CHANGES
    assert planned["StatusReason"].startswith("The submitted information didn't contain changes.")
    with pytest.raises(ClientError) as caught:
        cloudformation().execute_change_set(StackName="s", ChangeSetName="c")
    assert caught.value.response["Error"]["Code"] == "InvalidChangeSetStatus"


def test_what_the_schema_refuses_is_found_before_the_deployment(pretend: Pretend) -> None:
    body = template({"A": resource("AWS::SNS::Topic", {"Colour": "blue"})})
    planned = plan("s", body, "CREATE")
    assert planned["Status"] == "FAILED"
    assert "[AWS::EarlyValidation::PropertyValidation]" in planned["StatusReason"]
    (event,) = cloudformation().describe_events(
        ChangeSetName=planned["ChangeSetId"], Filters={"FailedEvents": True}
    )["OperationEvents"]
    assert event["EventType"] == "VALIDATION_ERROR"
    assert event["ValidationStatusReason"] == "extraneous key [Colour] is not permitted"
    assert event["ValidationPath"] == "/Resources/A/Properties"
    assert pretend.calls == []


def test_a_missing_export_fails_the_change_set(pretend: Pretend) -> None:
    planned = plan("s", template({"A": parameter({"Fn::ImportValue": "none"})}), "CREATE")
    assert (planned["Status"], planned["StatusReason"]) == ("FAILED", "No export named none found")


def test_a_changed_output_alone_can_be_executed(pretend: Pretend) -> None:
    create("s", template({"A": parameter("1")}))
    planned = plan("s", template({"A": parameter("1")}, Outputs={"O": {"Value": "x"}}))
    assert (planned["Status"], planned["Changes"]) == ("CREATE_COMPLETE", [])
    cloudformation().execute_change_set(StackName="s", ChangeSetName="c")
    assert outputs(settled("s")) == {"O": "x"}


def test_a_change_of_metadata_alone_is_shown_as_one(pretend: Pretend) -> None:
    create("s", template({"A": parameter("1")}))
    planned = plan("s", template({"A": parameter("1", Metadata={"k": "v"})}))
    assert changes(planned)["A"]["Scope"] == ["Metadata"]
    cloudformation().execute_change_set(StackName="s", ChangeSetName="c")
    assert settled("s")["StackStatus"] == "UPDATE_COMPLETE"
    assert pretend.did("update") == []
    detail = cloudformation().describe_stack_resource(StackName="s", LogicalResourceId="A")
    assert detail["StackResourceDetail"]["Metadata"] == '{"k": "v"}'


def test_names_and_kinds(pretend: Pretend) -> None:
    body = template({"A": parameter("1")})
    with pytest.raises(ClientError, match=r"Stack \[s\] does not exist"):
        plan("s", body)
    plan("s", body, "CREATE")
    with pytest.raises(ClientError) as caught:
        plan("s", body, "CREATE")
    assert caught.value.response["Error"]["Code"] == "AlreadyExistsException"
    with pytest.raises(ClientError, match=r"Stack \[s\] does not exist"):
        cloudformation().create_change_set(
            StackName="s", ChangeSetName="d", ChangeSetType="UPDATE", TemplateBody=body
        )
    cloudformation().execute_change_set(StackName="s", ChangeSetName="c")
    settled("s")
    with pytest.raises(ClientError, match="already exists and cannot be created again"):
        cloudformation().create_change_set(
            StackName="s", ChangeSetName="d", ChangeSetType="CREATE", TemplateBody=body
        )


def test_a_change_set_that_is_not_there(pretend: Pretend) -> None:
    create("s", template({"A": parameter("1")}))
    cloudformation().delete_change_set(StackName="s", ChangeSetName="none")
    with pytest.raises(ClientError) as caught:
        cloudformation().describe_change_set(StackName="s", ChangeSetName="none")
    assert caught.value.response["Error"]["Code"] == "ChangeSetNotFound"
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 404


def test_an_execution_forgets_the_other_change_sets(pretend: Pretend) -> None:
    create("s", template({"A": parameter("1")}))
    for name in ("one", "two"):
        cloudformation().create_change_set(
            StackName="s", ChangeSetName=name, TemplateBody=template({"A": parameter(name)})
        )
    assert len(cloudformation().list_change_sets(StackName="s")["Summaries"]) == 2
    cloudformation().execute_change_set(StackName="s", ChangeSetName="one")
    settled("s")
    left = cloudformation().list_change_sets(StackName="s")["Summaries"]
    assert [item["ChangeSetName"] for item in left] == ["one"]


def test_a_stack_that_was_only_planned_can_be_deleted(pretend: Pretend) -> None:
    stack_id = plan("s", template({"A": parameter("1")}), "CREATE")["StackId"]
    cloudformation().delete_stack(StackName="s")
    assert settled(stack_id)["StackStatus"] == "DELETE_COMPLETE"
    assert pretend.calls == []


def test_the_template_of_a_change_set(pretend: Pretend) -> None:
    body = template({"A": parameter("1")})
    create("s", body)
    newer = template({"A": parameter("2")})
    planned = plan("s", newer)
    found = cloudformation().get_template(ChangeSetName=planned["ChangeSetId"])
    assert found["TemplateBody"] == json.loads(newer)
    assert cloudformation().get_template(StackName="s")["TemplateBody"] == json.loads(body)


def test_many_changes_come_in_pages(pretend: Pretend) -> None:
    body = template({f"A{number}": parameter("1") for number in range(130)})
    first = plan("s", body, "CREATE")
    assert len(first["Changes"]) == 100
    second = cloudformation().describe_change_set(
        StackName="s", ChangeSetName="c", NextToken=first["NextToken"]
    )
    assert len(second["Changes"]) == 30
    assert "NextToken" not in second


def test_a_replaced_resource_is_planned_from_what_it_is_now(pretend: Pretend) -> None:
    create("s", template({"A": named("one"), "B": parameter({"Ref": "A"})}))
    update("s", template({"A": named("two"), "B": parameter({"Ref": "A"})}))
    planned = plan("s", template({"A": named("two", "w"), "B": parameter({"Ref": "A"})}))
    assert list(changes(planned)) == ["A"]
