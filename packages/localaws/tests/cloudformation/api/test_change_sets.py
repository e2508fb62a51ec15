"""Change sets: created, described, executed, deleted."""

from __future__ import annotations

import json

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws.cloudformation.changesets import NO_CHANGES
from packages.localaws.tests.cloudformation.change_sets import changes, plan
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
)
from packages.localaws.tests.parts import client


def test_change_set_creates_a_new_stack(pretend: Pretend) -> None:
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


def test_property_that_violates_the_schema_fails_the_change_set(pretend: Pretend) -> None:
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


def test_a_missing_export_fails_the_execution_only(pretend: Pretend) -> None:
    planned = plan("s", template({"A": parameter({"Fn::ImportValue": "none"})}), "CREATE")
    assert (planned["Status"], planned["ExecutionStatus"]) == ("CREATE_COMPLETE", "AVAILABLE")
    assert planned["StatusReason"] == (
        "[WARN] --include-property-values option can return incomplete ChangeSet data because: "
        "ChangeSet creation failed for resource [A] because: No export named none"
    )
    context = json.loads(changes(planned)["A"]["AfterContext"])
    assert context["Properties"]["Value"] == "{{changeSet:KNOWN_AFTER_APPLY}}"
    plain = cloudformation().describe_change_set(ChangeSetName=planned["ChangeSetId"])
    assert "StatusReason" not in plain
    cloudformation().execute_change_set(ChangeSetName=planned["ChangeSetId"])
    stack = settled("s")
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert pretend.calls == []


@pytest.mark.parametrize("kind", ["CREATE", "UPDATE"])
def test_a_missing_key_of_a_mapping_is_refused_at_once(pretend: Pretend, kind: str) -> None:
    value = {"Fn::FindInMap": ["M", "a", "two"]}
    body = template({"A": parameter(value)}, Mappings={"M": {"a": {"one": "1"}}})
    if kind == "UPDATE":
        create("s", template({"A": parameter("1")}))
    with pytest.raises(ClientError) as caught:
        plan("s", body, kind)
    error = caught.value.response["Error"]
    assert (error["Code"], error["Message"]) == (
        "ValidationError",
        "Template error: Unable to get mapping for M::a::two",
    )
    stacks = cloudformation().list_stacks()["StackSummaries"]
    assert [one["StackStatus"] for one in stacks] == ["CREATE_COMPLETE"] * (kind == "UPDATE")
    if kind == "UPDATE":
        assert cloudformation().list_change_sets(StackName="s")["Summaries"] == []
        operations = described("s")["LastOperations"]
        assert [one["OperationType"] for one in operations] == ["CREATE_STACK"]


def test_a_refusal_keeps_the_executed_change_set_of_its_name(pretend: Pretend) -> None:
    executed = plan("s", template({"A": parameter("1")}), "CREATE")["ChangeSetId"]
    cloudformation().execute_change_set(ChangeSetName=executed)
    settled("s")
    value = {"Fn::FindInMap": ["M", "a", "two"]}
    with pytest.raises(ClientError, match="Unable to get mapping"):
        plan("s", template({"A": parameter(value)}, Mappings={"M": {"a": {"one": "1"}}}))
    found = cloudformation().describe_change_set(ChangeSetName=executed)
    assert found["ExecutionStatus"] == "EXECUTE_COMPLETE"


def test_the_warning_names_the_resource_that_imports_what_is_missing(pretend: Pretend) -> None:
    create(
        "other",
        template(
            {"P": parameter("1")}, Outputs={"O": {"Value": "x", "Export": {"Name": "there"}}}
        ),
    )
    body = template(
        {
            "A": parameter({"Fn::ImportValue": "there"}),
            "B": parameter({"Fn::ImportValue": {"Fn::Join": ["", ["mis", "sing"]]}}),
        }
    )
    assert (
        "for resource [B] because: No export named missing"
        in plan("s", body, "CREATE")["StatusReason"]
    )


def test_an_output_that_imports_what_is_missing_gives_no_warning(pretend: Pretend) -> None:
    body = template(
        {"A": parameter("1")}, Outputs={"O": {"Value": {"Fn::ImportValue": "missing"}}}
    )
    planned = plan("s", body, "CREATE")
    assert (planned["Status"], "StatusReason" in planned) == ("CREATE_COMPLETE", False)


def test_members_that_a_change_set_does_not_have_are_absent(pretend: Pretend) -> None:
    body = template({"A": parameter("1")})
    planned = plan("s", body, "CREATE")
    assert planned["Capabilities"] == ["CAPABILITY_NAMED_IAM"]
    assert planned["NotificationARNs"] == []
    assert not {"Parameters", "Tags"} & set(planned)
    cloudformation().create_change_set(
        StackName="t", ChangeSetName="c", ChangeSetType="CREATE", TemplateBody=body
    )
    other = cloudformation().describe_change_set(StackName="t", ChangeSetName="c")
    assert other["Capabilities"] == []


def test_change_set_needs_no_capability_for_macros(pretend: Pretend) -> None:
    body = template({"A": parameter("1")}, Transform="AWS::LanguageExtensions")
    assert plan("s", body, "CREATE")["Status"] == "CREATE_COMPLETE"
    with pytest.raises(ClientError) as caught:
        cloudformation().create_stack(StackName="t", TemplateBody=body)
    error = caught.value.response["Error"]
    assert (error["Code"], error["Message"]) == (
        "InsufficientCapabilitiesException",
        "Requires capabilities : [CAPABILITY_AUTO_EXPAND]",
    )


def test_a_template_includes_what_is_in_s3(pretend: Pretend) -> None:
    s3 = client("s3")
    s3.create_bucket(Bucket="snippets")
    location = {"Location": "s3://snippets/a.json"}
    part = {"Fn::Transform": {"Name": "AWS::Include", "Parameters": location}}
    body = json.dumps({"Resources": part})
    for value in ("1", "2"):
        resources = {"A": parameter(value)}
        s3.put_object(Bucket="snippets", Key="a.json", Body=json.dumps(resources))
        kind = "CREATE" if value == "1" else "UPDATE"
        given = {"UsePreviousTemplate": True} if value == "2" else {"TemplateBody": body}
        cloudformation().create_change_set(
            StackName="s", ChangeSetName="c", ChangeSetType=kind, **given
        )
        cloudformation().execute_change_set(StackName="s", ChangeSetName="c")
        settled("s")
        stages = [
            cloudformation().get_template(StackName="s", TemplateStage=stage)["TemplateBody"]
            for stage in ("Original", "Processed")
        ]
        assert stages == [json.loads(body), {"Resources": resources}]
    assert cloudformation().get_template_summary(StackName="s")["DeclaredTransforms"] == [
        "AWS::Include"
    ]
    with pytest.raises(ClientError, match="CAPABILITY_AUTO_EXPAND"):
        cloudformation().create_stack(StackName="t", TemplateBody=body)


def test_a_changed_output_alone_can_be_executed(pretend: Pretend) -> None:
    create("s", template({"A": parameter("1")}))
    planned = plan("s", template({"A": parameter("1")}, Outputs={"O": {"Value": "x"}}))
    assert (planned["Status"], planned["Changes"]) == ("CREATE_COMPLETE", [])
    cloudformation().execute_change_set(StackName="s", ChangeSetName="c")
    assert outputs(settled("s")) == {"O": "x"}


def test_change_set_names_and_types_are_validated(pretend: Pretend) -> None:
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


def test_unknown_change_set_is_not_found(pretend: Pretend) -> None:
    create("s", template({"A": parameter("1")}))
    cloudformation().delete_change_set(StackName="s", ChangeSetName="none")
    with pytest.raises(ClientError) as caught:
        cloudformation().describe_change_set(StackName="s", ChangeSetName="none")
    assert caught.value.response["Error"]["Code"] == "ChangeSetNotFound"
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 404


def test_execution_deletes_the_other_change_sets(pretend: Pretend) -> None:
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


def test_stack_in_review_can_be_deleted(pretend: Pretend) -> None:
    stack_id = plan("s", template({"A": parameter("1")}), "CREATE")["StackId"]
    cloudformation().delete_stack(StackName="s")
    assert settled(stack_id)["StackStatus"] == "DELETE_COMPLETE"
    assert pretend.calls == []


def test_create_stack_takes_a_stack_in_review(pretend: Pretend) -> None:
    plan("s", template({"A": parameter("1")}), "CREATE")
    stack_id = described("s")["StackId"]
    create("s", template({"B": parameter("2")}))
    stack = settled("s")
    assert (stack["StackId"], stack["StackStatus"]) == (stack_id, "CREATE_COMPLETE")
    found = cloudformation().list_stack_resources(StackName="s")["StackResourceSummaries"]
    assert [one["LogicalResourceId"] for one in found] == ["B"]
    with pytest.raises(ClientError, match="already exists"):
        cloudformation().create_stack(StackName="s", TemplateBody=template({"B": parameter("2")}))


def test_get_template_returns_the_template_of_a_change_set(pretend: Pretend) -> None:
    body = template({"A": parameter("1")})
    create("s", body)
    newer = template({"A": parameter("2")})
    planned = plan("s", newer)
    found = cloudformation().get_template(ChangeSetName=planned["ChangeSetId"])
    assert found["TemplateBody"] == json.loads(newer)
    assert cloudformation().get_template(StackName="s")["TemplateBody"] == json.loads(body)


def test_long_list_of_changes_is_paginated(pretend: Pretend) -> None:
    body = template({f"A{number}": parameter("1") for number in range(130)})
    first = plan("s", body, "CREATE")
    assert len(first["Changes"]) == 100
    second = cloudformation().describe_change_set(
        StackName="s", ChangeSetName="c", NextToken=first["NextToken"]
    )
    assert len(second["Changes"]) == 30
    assert "NextToken" not in second
