"""What is refused before anything runs, through the API."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.template import Template
from packages.localaws.tests.cloudformation.stacks import (
    REGION,
    cloudformation,
    parameter,
    resource,
    template,
)

pytestmark = pytest.mark.usefixtures("local")

A = parameter("a")


def create(body: str, **options: Any) -> None:
    cloudformation().create_stack(StackName="s", TemplateBody=body, **options)


def refusal(body: str, **options: Any) -> str:
    with pytest.raises(ClientError) as caught:
        create(body, **options)
    error = caught.value.response
    assert error["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert cloudformation().describe_stacks()["Stacks"] == []
    return str(error["Error"]["Message"])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("{", "Template format error: JSON not well-formed. (line 1, column 2)"),
        (json.dumps({"Resources": {}}), "At least one Resources member must be defined."),
        (template({"A": A}, Extra={}), "Invalid template property or properties [Extra]"),
        (template({"A": {"Properties": {}}}), "must contain a Type member"),
        (template({"A-b": A}), "Resource name A-b is non alphanumeric."),
        (
            template({"A": {**A, "Propertys": {}}}),
            "Invalid template resource property 'Propertys'",
        ),
        (
            template({"A": {**A, "CreationPolicy": {}}}),
            "CreationPolicy of AWS::CloudFormation::WaitCondition only (A)",
        ),
        (template({"A": {**A, "UpdatePolicy": {}}}), "does not support UpdatePolicy (A)"),
        (
            template({"A": resource("AWS::No::Such")}),
            "Unrecognized resource types: [AWS::No::Such]",
        ),
        (
            template({"A": resource("AWS::DynamoDB::Table")}),
            "does not support the resource type AWS::DynamoDB::Table",
        ),
        (
            template({"A": resource("Custom::Mine")}),
            "does not support the custom resource Custom::Mine",
        ),
        (
            template({"A": parameter({"Ref": "B"})}),
            "Unresolved resource dependencies [B] in the Resources block",
        ),
        (
            template({"A": parameter({"Fn::GetAtt": ["B", "Arn"]})}),
            "references undefined resource B",
        ),
        (
            template({"A": A, "B": parameter({"Fn::GetAtt": ["A", "Nope"]})}),
            "resource A does not support attribute type Nope in Fn::GetAtt",
        ),
        (template({"A": {**A, "DependsOn": "B"}}), "Unresolved resource dependencies [B]"),
        (template({"A": {**A, "Condition": "C"}}), "Unresolved condition dependency C"),
        (template({"A": {**A, "DeletionPolicy": "Keep"}}), "DeletionPolicy of A must be one of"),
        (
            template({"A": parameter({"Fn::FindInMap": ["M", "a", "b"]})}),
            "Mapping named 'M' is not present",
        ),
        (template({"A": parameter(None)}), "'null' values are not allowed"),
        (
            template({"A": A}, Outputs={"O": {"Value": {"Ref": "B"}}}),
            "Unresolved resource dependencies [B] in the Outputs block",
        ),
        (
            template({"A": A}, Outputs={"O": {}}),
            "Every Outputs member must contain a Value",
        ),
        (
            template({"A": A}, Transform={"Name": {"Ref": "A"}}),
            "Key Name of transform definition must be a string.",
        ),
        (
            template({"A": A}, Transform="AWS::Unknown"),
            "No transform named AWS::Unknown found.",
        ),
        (
            template({"A": A}, Parameters={"P": {}}),
            "Every Parameters object must contain a Type member.",
        ),
        (template({"A": A}, AWSTemplateFormatVersion="2020-01-01"), "AWSTemplateFormatVersion"),
        (
            template({f"A{n}": A for n in range(501)}),
            "Number of resources, 501, is greater than maximum allowed, 500",
        ),
    ],
)
def test_template_errors_are_reported(body: str, message: str) -> None:
    assert message in refusal(body)


def test_circular_dependency_is_refused_with_its_members() -> None:
    body = template(
        {
            "A": parameter({"Ref": "B"}),
            "B": parameter({"Fn::Sub": "${C.Value}"}),
            "C": {**parameter("c"), "DependsOn": ["A"]},
        }
    )
    assert refusal(body) == "Circular dependency between resources: [A, B, C]"


def test_an_unsupported_property_is_refused_by_name() -> None:
    body = template(
        {
            "B": resource(
                "AWS::S3::Bucket", {"AccelerateConfiguration": {"AccelerationStatus": "Enabled"}}
            )
        }
    )
    assert (
        refusal(body)
        == "The local AWS does not support AccelerateConfiguration of AWS::S3::Bucket (B)."
    )


def test_iam_capability_is_required() -> None:
    role = {"AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": []}}
    body = template({"R": resource("AWS::IAM::Role", role)})
    assert refusal(body) == "Requires capabilities : [CAPABILITY_IAM]"
    named = template({"R": resource("AWS::IAM::Role", {**role, "RoleName": "mine"})})
    assert (
        refusal(named, Capabilities=["CAPABILITY_IAM"])
        == "Requires capabilities : [CAPABILITY_NAMED_IAM]"
    )


def test_template_body_over_the_request_limit_is_refused() -> None:
    assert "less than or equal to 51200" in refusal(template({"A": parameter("x" * 52_000)}))


def test_stack_names_are_validated() -> None:
    with pytest.raises(ClientError, match="a-z"):
        cloudformation().create_stack(StackName="1a", TemplateBody=template({"A": A}))


def test_independent_resources_keep_the_order_of_the_template() -> None:
    body = template(
        {
            "D": parameter({"Ref": "B"}),
            "A": A,
            "B": {**A, "DependsOn": "C"},
            "C": A,
        }
    )
    read = Template.read(body, region="us-east-1")
    assert read.creation_order(set("ABCD")) == ["C", "B", "D", "A"]
    assert read.dependencies("D", {"A", "B"}) == {"B"}


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ({"Fn::If": ["C", "Foo", "Delete"]}, "must be one of"),
        ({"Fn::If": ["C", ["Retain"], "Delete"]}, "must be a string"),
        ({"Fn::If": ["C", {"Ref": "P"}, "Delete"]}, "must be a string"),
        ({"Fn::If": ["C", "Retain"]}, "must be a string"),
        ({"Fn::If": ["C", {"Fn::If": ["C", "Retain", "No"]}, "Delete"]}, "must be one of"),
    ],
)
def test_branches_of_a_policy_are_checked(policy: Any, message: str) -> None:
    body = template(
        {"A": parameter("1", DeletionPolicy=policy)},
        Conditions={"C": {"Fn::Equals": ["a", "b"]}},
        Parameters={"P": {"Type": "String", "Default": "Retain"}},
    )
    with pytest.raises(ValidationError, match=message):
        Template.read(body, region=REGION)


def test_a_policy_may_be_a_parameter() -> None:
    """As recorded on AWS by LocalStack's tests, 2026-01-23."""
    body = template(
        {"A": parameter("1", UpdateReplacePolicy={"Ref": "P"})},
        Parameters={"P": {"Type": "String", "Default": "Retain"}},
    )
    assert set(Template.read(body, region=REGION).resources) == {"A"}


def test_branches_of_a_policy_may_be_conditions_and_no_value() -> None:
    chosen = {"Fn::If": ["C", "Retain", {"Ref": "AWS::NoValue"}]}
    body = template(
        {"A": parameter("1", UpdateReplacePolicy={"Fn::If": ["C", chosen, "Delete"]})},
        Conditions={"C": {"Fn::Equals": ["a", "b"]}},
    )
    assert set(Template.read(body, region=REGION).resources) == {"A"}
