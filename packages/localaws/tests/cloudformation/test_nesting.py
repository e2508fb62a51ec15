"""Nested stacks: created, changed, rolled back and deleted with their root."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws import local_aws
from packages.localaws.tests.cloudformation.stacks import (
    aws,
    cloudformation,
    create,
    delete,
    described,
    history,
    outputs,
    parameter,
    resource,
    resources_of,
    settled,
    template,
    update,
)
from packages.localaws.tests.handlers import own_tags

BUCKET = "templates"
NESTED = "AWS::CloudFormation::Stack"


@pytest.fixture(autouse=True)
def _bucket() -> Iterator[None]:
    with local_aws():
        aws("s3").create_bucket(Bucket=BUCKET)
        yield


def put(key: str, body: str) -> str:
    aws("s3").put_object(Bucket=BUCKET, Key=key, Body=body.encode())
    return f"https://{BUCKET}.s3.us-east-1.amazonaws.com/{key}"


def child(value: Any = "a", **more: Any) -> str:
    return template(
        {"Setting": parameter({"Ref": "Value"}), **more},
        Parameters={"Value": {"Type": "String", "Default": value}},
        Outputs={"Name": {"Value": {"Ref": "Setting"}}, "Given": {"Value": {"Ref": "Value"}}},
    )


def parent(url: str, value: str = "x", **more: Any) -> str:
    return template(
        {
            "Inner": resource(NESTED, {"TemplateURL": url, "Parameters": {"Value": value}}),
            "Outer": parameter({"Fn::GetAtt": ["Inner", "Outputs.Given"]}),
            **more,
        },
        Outputs={"Name": {"Value": {"Fn::GetAtt": "Inner.Outputs.Name"}}},
    )


BROKEN = parameter("x", DependsOn=["Inner"])
BROKEN["Properties"]["Name"] = "aws/not-allowed"


def value_of(stack: str, logical_id: str) -> str:
    name = resources_of(stack)[logical_id]["PhysicalResourceId"]
    return str(aws("ssm").get_parameter(Name=name)["Parameter"]["Value"])


def inner_id(stack: str = "top") -> str:
    return str(resources_of(stack)["Inner"]["PhysicalResourceId"])


def names() -> set[str]:
    return {item["Name"] for item in aws("ssm").describe_parameters()["Parameters"]}


class TestMadeAndDeleted:
    def test_outputs_of_a_nested_stack_are_attributes(self) -> None:
        top = create("top", parent(put("c.json", child())), Tags=[{"Key": "team", "Value": "a"}])
        assert top["StackStatus"] == "CREATE_COMPLETE", top
        assert value_of("top", "Outer") == "x"
        nested = described(inner_id())
        assert nested["ParentId"] == nested["RootId"] == top["StackId"]
        assert re.fullmatch(r"[A-Za-z0-9-]+-Inner-[A-Z0-9]{12}", nested["StackName"])
        assert nested["StackStatus"] == "CREATE_COMPLETE"
        assert nested["StackName"].startswith("top-Inner-")
        assert own_tags(nested["Tags"]) == [{"Key": "team", "Value": "a"}]
        assert outputs(top)["Name"] == resources_of(inner_id())["Setting"]["PhysicalResourceId"]
        assert history("top", "Inner") == [
            ("Inner", "CREATE_IN_PROGRESS"),
            ("Inner", "CREATE_IN_PROGRESS"),
            ("Inner", "CREATE_COMPLETE"),
        ]

    def test_deleting_the_parent_deletes_nested_stacks(self) -> None:
        create("top", parent(put("c.json", child())))
        nested = inner_id()
        assert delete("top")["StackStatus"] == "DELETE_COMPLETE"
        assert described(nested)["StackStatus"] == "DELETE_COMPLETE"
        assert names() == set()

    def test_root_of_three_levels_is_the_first_stack(self) -> None:
        middle = template(
            {"Inner": resource(NESTED, {"TemplateURL": put("c.json", child())})},
            Outputs={
                "Given": {"Value": {"Fn::GetAtt": "Inner.Outputs.Given"}},
                "Name": {"Value": "n"},
            },
            Parameters={"Value": {"Type": "String"}},
        )
        top = create("top", parent(put("m.json", middle)))
        assert top["StackStatus"] == "CREATE_COMPLETE", top
        lowest = described(inner_id(inner_id()))
        assert (lowest["ParentId"], lowest["RootId"]) == (inner_id(), top["StackId"])
        delete("top")
        assert names() == set()

    def test_invalid_template_url_fails_the_resource(self) -> None:
        top = create("top", parent(f"https://{BUCKET}.s3.amazonaws.com/absent.json"))
        assert top["StackStatus"] == "ROLLBACK_COMPLETE"
        (failed,) = [
            stack_event
            for stack_event in cloudformation().describe_stack_events(StackName="top")[
                "StackEvents"
            ]
            if stack_event["ResourceStatus"] == "CREATE_FAILED"
        ]
        assert failed["ResourceStatusReason"].startswith("S3 error: ")

    def test_unknown_output_is_refused(self) -> None:
        body = parent(put("c.json", child())).replace("Outputs.Given", "Outputs.Missing")
        top = create("top", body)
        assert top["StackStatus"] == "ROLLBACK_COMPLETE"
        assert names() == set()

    def test_recursive_template_is_refused(self) -> None:
        url = f"https://{BUCKET}.s3.amazonaws.com/self.json"
        put("self.json", template({"Inner": resource(NESTED, {"TemplateURL": url})}))
        top = create("top", template({"Inner": resource(NESTED, {"TemplateURL": url})}))
        assert top["StackStatus"] == "ROLLBACK_COMPLETE"
        assert [stack["StackName"] for stack in cloudformation().describe_stacks()["Stacks"]] == [
            "top"
        ]

    def test_nested_stack_has_the_capabilities_of_its_parent(self) -> None:
        role = resource(
            "AWS::IAM::Role",
            {"AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": []}},
        )
        url = put("c.json", template({"Role": role}))
        cloudformation().create_stack(
            StackName="top",
            TemplateBody=template({"Inner": resource(NESTED, {"TemplateURL": url})}),
        )
        assert settled("top")["StackStatus"] == "ROLLBACK_COMPLETE"


class TestRolledBack:
    def test_failure_in_a_nested_stack_fails_the_parent(self) -> None:
        inner = child(Broken=parameter("v", DependsOn=["Setting"]))
        inner = inner.replace('"Value": "v"', '"Name": "aws/no", "Value": "v"')
        top = create("top", parent(put("c.json", inner)))
        assert top["StackStatus"] == "ROLLBACK_COMPLETE"
        nested = cloudformation().list_stacks(StackStatusFilter=["DELETE_COMPLETE"])
        (summary,) = nested["StackSummaries"]
        states = [status for name, status in history(summary["StackId"], summary["StackName"])]
        assert states == [
            "CREATE_IN_PROGRESS",
            "CREATE_FAILED",
            "DELETE_IN_PROGRESS",
            "DELETE_COMPLETE",
        ]
        (failed,) = [
            stack_event["ResourceStatusReason"]
            for stack_event in cloudformation().describe_stack_events(StackName="top")[
                "StackEvents"
            ]
            if stack_event["ResourceStatus"] == "CREATE_FAILED"
        ]
        assert failed == (
            f"Embedded stack {summary['StackId']} was not successfully created: The following "
            "resource(s) failed to create: [Broken]."
        )
        assert names() == set()

    def test_failure_in_the_parent_deletes_the_nested_stack(self) -> None:
        top = create("top", parent(put("c.json", child()), Broken=BROKEN))
        assert top["StackStatus"] == "ROLLBACK_COMPLETE"
        assert names() == set()

    def test_nested_update_is_rolled_back_with_its_parent(self) -> None:
        create("top", parent(put("c.json", child()), "one"))
        before = names()
        top = update("top", parent(put("c.json", child()), "two", Broken=BROKEN))
        assert top["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE", top
        assert described(inner_id())["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
        assert value_of(inner_id(), "Setting") == "one"
        assert value_of("top", "Outer") == "one"
        assert names() == before

    def test_resources_replaced_in_a_nested_stack_are_kept_until_the_parent_succeeds(self) -> None:
        create("top", parent(put("c.json", child())))
        before = names()
        moved = child().replace(
            '"Type": "String", "Value"', '"Name": "moved", "Type": "String", "Value"'
        )
        top = update("top", parent(put("c2.json", moved), Broken=BROKEN))
        assert top["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE", top
        assert names() == before
        assert update("top", parent(put("c2.json", moved)))["StackStatus"] == "UPDATE_COMPLETE"
        assert "moved" in names()
        states = [s for _, s in history(inner_id(), described(inner_id())["StackName"])]
        assert states[-3:] == [
            "UPDATE_IN_PROGRESS",
            "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS",
            "UPDATE_COMPLETE",
        ]

    def test_failed_update_of_a_nested_stack_fails_the_parent(self) -> None:
        create("top", parent(put("c.json", child())))
        inner = child(Broken=parameter("v"))
        inner = inner.replace('"Value": "v"', '"Name": "aws/no", "Value": "v"')
        top = update("top", parent(put("c2.json", inner)))
        assert top["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
        assert described(inner_id())["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
        reasons = [
            stack_event.get("ResourceStatusReason", "")
            for stack_event in cloudformation().describe_stack_events(StackName="top")[
                "StackEvents"
            ]
        ]
        assert any("was not successfully updated. Currently in" in reason for reason in reasons)
        assert update("top", parent(put("c.json", child()), "new"))["StackStatus"] == (
            "UPDATE_COMPLETE"
        )

    def test_failed_update_without_rollback_can_be_continued(self) -> None:
        inner = child(Broken=parameter("v"))
        inner = inner.replace('"Value": "v"', '"Name": "aws/no", "Value": "v"')
        top = create("top", parent(put("c.json", inner)), DisableRollback=True)
        assert top["StackStatus"] == "CREATE_FAILED"
        assert described(inner_id())["StackStatus"] == "CREATE_FAILED"
        top = update("top", parent(put("c.json", child())), DisableRollback=True)
        assert top["StackStatus"] == "UPDATE_COMPLETE", top
        assert described(inner_id())["StackStatus"] == "UPDATE_COMPLETE"
        delete("top")
        assert names() == set()


class TestUpdated:
    def test_changed_template_at_the_same_url_is_an_update(self) -> None:
        url = put("c.json", child())
        create("top", parent(url))
        put("c.json", child(Second=parameter("two")))
        assert update("top", parent(url))["StackStatus"] == "UPDATE_COMPLETE"
        assert "Second" in resources_of(inner_id())

    def test_unchanged_nested_stack_is_not_updated(self) -> None:
        body = parent(put("c.json", child()))
        create("top", body)
        with pytest.raises(ClientError, match="No updates are to be performed"):
            update("top", body)

    def test_unchanged_nested_stack_with_loops_is_not_updated(self) -> None:
        loop = {"Fn::ForEach::Settings": ["N", {"Ref": "Names"}, {"S${N}": parameter("x")}]}
        inner = template(
            loop,
            Transform="AWS::LanguageExtensions",
            Parameters={"Names": {"Type": "CommaDelimitedList"}},
        )
        nested = {"TemplateURL": put("c.json", inner), "Parameters": {"Names": "A,B"}}
        outer = template({"Inner": resource(NESTED, nested)})
        create("top", outer)
        with pytest.raises(ClientError, match="No updates are to be performed"):
            update("top", outer)

    def test_changed_outputs_of_a_nested_stack_update_the_parent(self) -> None:
        url = put("c.json", child())
        create("top", parent(url, "one"))
        assert update("top", parent(url, "two"))["StackStatus"] == "UPDATE_COMPLETE"
        assert value_of("top", "Outer") == "two"


class TestProtected:
    def test_termination_protection_of_the_root_applies_to_nested_stacks(self) -> None:
        create("top", parent(put("c.json", child())), EnableTerminationProtection=True)
        with pytest.raises(ClientError, match="TerminationProtection is enabled"):
            cloudformation().delete_stack(StackName=inner_id())
        with pytest.raises(ClientError, match="on a nested stack"):
            cloudformation().update_termination_protection(
                StackName=inner_id(), EnableTerminationProtection=False
            )

    def test_change_set_with_nested_stacks_lists_the_root_only(self) -> None:
        """Nested stacks have no change sets; they are created when the root's is executed."""
        caller = cloudformation()
        caller.create_change_set(
            StackName="top",
            ChangeSetName="c",
            ChangeSetType="CREATE",
            TemplateBody=parent(put("c.json", child())),
            IncludeNestedStacks=True,
        )
        found = caller.describe_change_set(StackName="top", ChangeSetName="c")
        changes = {change["ResourceChange"]["LogicalResourceId"] for change in found["Changes"]}
        assert changes == {"Inner", "Outer"}
        assert all("ChangeSetId" not in change["ResourceChange"] for change in found["Changes"])
        caller.execute_change_set(StackName="top", ChangeSetName="c")
        assert settled("top")["StackStatus"] == "CREATE_COMPLETE"
        assert value_of("top", "Outer") == "x"
