"""Where a template comes from."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws.cloudformation.api.common import draft
from clusterwright_localaws.cloudformation.errors import InsufficientCapabilities, ValidationError
from clusterwright_localaws.cloudformation.requests import (
    bucket_and_key,
    check_capabilities,
    read_revision,
    read_template,
)
from clusterwright_localaws.cloudformation.state import Revision
from clusterwright_localaws.cloudformation.store import Store
from clusterwright_localaws.cloudformation.template import Template
from packages.localaws.tests.cloudformation.stacks import (
    ACCOUNT,
    REGION,
    aws,
    cloudformation,
    create,
    parameter,
    resource,
    resources_of,
    settled,
    template,
)

ONE = template({"P": parameter("1")})


@pytest.mark.parametrize(
    "url",
    [
        "https://s3.us-east-1.amazonaws.com/assets/a/b.json",
        "https://s3.amazonaws.com/assets/a/b.json",
        "https://s3-eu-west-1.amazonaws.com/assets/a/b.json",
        "https://s3.dualstack.us-east-1.amazonaws.com/assets/a/b.json",
        "https://s3.cn-north-1.amazonaws.com.cn/assets/a/b.json",
        "https://assets.s3.amazonaws.com/a/b.json",
        "https://assets.s3.us-east-1.amazonaws.com/a/b.json?versionId=1",
        "http://localhost:5000/assets/a/b.json",
        "http://127.0.0.1:5000/assets/a/b.json",
        "http://[::1]:5000/assets/a/b.json",
        "http://assets.localhost:5000/a/b.json",
        "http://assets.s3.localhost:5000/a/b.json",
        "https://assets.s3.amazonaws.com/a%2Fb.json",
    ],
)
def test_every_form_of_s3_url_is_accepted(url: str) -> None:
    assert bucket_and_key(url) == ("assets", "a/b.json")


def test_bucket_name_with_dots_is_accepted() -> None:
    assert bucket_and_key("https://a.b.c.s3.eu-west-1.amazonaws.com/k") == ("a.b.c", "k")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("https://example.com/assets/a.json", "TemplateURL must be a supported URL."),
        (
            "s3://assets/a.json",
            "S3 error: Domain name specified in assets is not a valid S3 domain",
        ),
        ("https://s3.amazonaws.com.example.com/b/k", "TemplateURL must be a supported URL."),
        ("https://s3.amazonaws.com/assets", "must reference a valid S3 object"),
        ("https://assets.s3.amazonaws.com/", "must reference a valid S3 object"),
    ],
)
def test_url_outside_s3_is_refused(url: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        bucket_and_key(url)


@pytest.fixture
def asset(local: None) -> str:
    """A template in S3."""
    s3 = aws("s3")
    s3.create_bucket(Bucket="assets")
    s3.put_object(Bucket="assets", Key="one.json", Body=ONE.encode())
    s3.put_object(Bucket="assets", Key="two.bin", Body=b"\xff\xfe\x00")
    return "https://s3.us-east-1.amazonaws.com/assets/one.json"


def test_template_is_read_from_s3(asset: str) -> None:
    cloudformation().create_stack(StackName="one", TemplateURL=asset)
    assert settled("one")["StackStatus"] == "CREATE_COMPLETE"
    assert set(resources_of("one")) == {"P"}


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("none.json", "S3 error: The specified key does not exist"),
        ("two.bin", "Template format error"),
    ],
)
def test_s3_object_that_is_not_a_template_is_refused(asset: str, key: str, message: str) -> None:
    with pytest.raises(ClientError, match=message):
        cloudformation().create_stack(StackName="one", TemplateURL=asset.replace("one.json", key))


def including(location: Any) -> str:
    call = {"Name": "AWS::Include", "Parameters": {"Location": location}}
    return json.dumps({"Resources": {"Fn::Transform": call}})


def test_included_locations_have_pseudo_parameters(local: None) -> None:
    """Those of the stack too, where the request is for one."""
    bucket, content = f"snippets-{ACCOUNT}-{REGION}", json.dumps({"A": parameter("1")}).encode()
    aws("s3").create_bucket(Bucket=bucket)
    of_account = "s3://snippets-${AWS::AccountId}-${AWS::Region}/"
    of_stack = "/${AWS::URLSuffix}/${AWS::StackName}.json"
    for key in ("aws.json", "aws/amazonaws.com/s.json"):
        aws("s3").put_object(Bucket=bucket, Key=key, Body=content)
    found = read(including({"Fn::Sub": of_account + "${AWS::Partition}.json"}))
    assert set(found.resources) == {"A"}
    body = including({"Fn::Sub": of_account + "${AWS::Partition}" + of_stack})
    store = Store(ACCOUNT, REGION)
    request = {"TemplateBody": body, "Capabilities": ["CAPABILITY_AUTO_EXPAND"]}
    assert set(read_revision(store, draft(store, "s"), request).template.resources) == {"A"}


@pytest.mark.parametrize(
    "given",
    [
        {"TemplateBody": including("s3://no_bucket!/a.json")},
        {"TemplateBody": including("s3://none/a.json")},
        {"TemplateURL": "https://s3.amazonaws.com/no_bucket!/a.json"},
    ],
)
def test_objects_that_cannot_be_read(local: None, given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="S3 error: "):
        read_template(Store(ACCOUNT, REGION), given)


def test_exactly_one_template_source_is_required(asset: str) -> None:
    for sources in ({}, {"TemplateURL": asset, "TemplateBody": ONE}):
        with pytest.raises(ClientError, match="Either Template URL or Template Body"):
            cloudformation().create_stack(StackName="one", **sources)


def test_previous_template_is_used(asset: str) -> None:
    body = template({"P": parameter({"Ref": "Text"})}, Parameters={"Text": {"Type": "String"}})
    create("one", body, Parameters=[{"ParameterKey": "Text", "ParameterValue": "a"}])
    name = resources_of("one")["P"]["PhysicalResourceId"]
    cloudformation().update_stack(
        StackName="one",
        UsePreviousTemplate=True,
        Parameters=[{"ParameterKey": "Text", "ParameterValue": "b"}],
    )
    assert settled("one")["StackStatus"] == "UPDATE_COMPLETE"
    assert aws("ssm").get_parameter(Name=name)["Parameter"]["Value"] == "b"
    with pytest.raises(ClientError, match="cannot specify both"):
        cloudformation().update_stack(StackName="one", UsePreviousTemplate=True, TemplateBody=body)


def read(body: str, **more: Any) -> Template:
    request = {"TemplateBody": body, **more}
    return read_template(Store(ACCOUNT, REGION), request)


def test_the_previous_template_needs_one() -> None:
    with pytest.raises(ValidationError, match="There is no previous template to use"):
        read_template(Store(ACCOUNT, REGION), {"UsePreviousTemplate": True})


ROLE = resource("AWS::IAM::Role", {"AssumeRolePolicyDocument": {}})


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ([], "CAPABILITY_IAM"),
        (["CAPABILITY_IAM"], None),
        (["CAPABILITY_NAMED_IAM"], None),
        (["CAPABILITY_AUTO_EXPAND"], "CAPABILITY_IAM"),
    ],
)
def test_capabilities(given: list[str], missing: str | None) -> None:
    found = read(template({"R": ROLE}))
    if missing is None:
        check_capabilities(found, given)
        return
    with pytest.raises(InsufficientCapabilities) as caught:
        check_capabilities(found, given)
    assert caught.value.message == f"Requires capabilities : [{missing}]"


@pytest.mark.usefixtures("local")
class TestRevision:
    def revision(self, previous: Revision | None = None, **request: Any) -> Revision:
        store = Store(ACCOUNT, REGION)
        stack = draft(store, "s")
        if previous is not None:
            stack.revision, stack.status = previous, "CREATE_COMPLETE"
        return read_revision(store, stack, {"TemplateBody": ONE, **request})

    def test_an_update_keeps_what_it_leaves_out(self) -> None:
        tags = [{"Key": "a", "Value": "1"}]
        first = self.revision(
            Tags=tags,
            NotificationARNs=["arn:t"],
            RollbackConfiguration={"MonitoringTimeInMinutes": 1},
        )
        second = self.revision(first)
        assert second.tags == first.tags == {"a": "1"}
        assert second.notification_arns == ("arn:t",)
        assert second.rollback_configuration == {"MonitoringTimeInMinutes": 1}
        third = self.revision(first, Tags=[], NotificationARNs=[])
        assert (third.tags, third.notification_arns) == ({}, ())

    @pytest.mark.parametrize(
        ("tags", "message"),
        [
            ([{"Key": str(n), "Value": ""} for n in range(51)], "exceeds the maximum of 50"),
            ([{"Key": "AWS:x", "Value": ""}], r"Tag keys \[AWS:x\] start with the reserved"),
        ],
    )
    def test_tags_that_are_refused(self, tags: list[dict[str, str]], message: str) -> None:
        with pytest.raises(ValidationError, match=message):
            self.revision(Tags=tags)

    def test_a_rule_that_is_false_is_refused(self) -> None:
        rule = {
            "RuleCondition": {"Fn::Equals": [{"Ref": "P"}, "x"]},
            "Assertions": [
                {"Assert": {"Fn::Equals": [{"Ref": "P"}, "y"]}, "AssertDescription": "P is y"}
            ],
        }
        body = template(
            {"A": parameter("1")},
            Parameters={"P": {"Type": "String", "Default": "x"}},
            Rules={"R": rule},
        )
        with pytest.raises(ValidationError, match="rule R: P is y"):
            self.revision(TemplateBody=body)
        other = [{"ParameterKey": "P", "ParameterValue": "z"}]
        assert self.revision(TemplateBody=body, Parameters=other).parameters["P"].value == "z"


@pytest.mark.parametrize(
    "allowed", [["AWS::SSM::Parameter"], ["AWS::*"], ["AWS::S3::*", "AWS::SSM::*"]]
)
def test_resource_types_that_are_allowed(allowed: list[str]) -> None:
    assert revise({"TemplateBody": ONE, "ResourceTypes": allowed}).template.resources


@pytest.mark.parametrize("allowed", [["AWS::EC2::*"], ["AWS::SSM:*"], ["AWS::SSM::Param*"]])
def test_resource_types_that_are_not_allowed(allowed: list[str]) -> None:
    expected = (
        "Resource type AWS::SSM::Parameter is not allowed by parameter ResourceTypes "
        f"[{allowed[0]}]"
    )
    with pytest.raises(ValidationError) as caught:
        revise({"TemplateBody": ONE, "ResourceTypes": allowed})
    assert caught.value.message == expected


@pytest.mark.parametrize(
    ("trigger", "message"),
    [
        ({"Arn": "x", "Type": "Another"}, "Rollback Trigger Type not supported"),
        (
            {"Arn": "arn:aws:cloudwatch:us-east-1:1:name", "Type": "AWS::CloudWatch::Alarm"},
            "RelativeId of a Rollback Trigger's ARN is incorrect",
        ),
    ],
)
def test_rollback_triggers_are_alarms(trigger: dict[str, str], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        revise({"TemplateBody": ONE, "RollbackConfiguration": {"RollbackTriggers": [trigger]}})
    assert caught.value.message == message


@pytest.mark.usefixtures("local")
def test_role_of_a_stack_exists_and_trusts_cloudformation() -> None:
    arn = f"arn:aws:iam::{ACCOUNT}:role/deploy"
    with pytest.raises(ClientError, match=f"Role {arn} is invalid or cannot be assumed"):
        cloudformation().create_stack(StackName="s", TemplateBody=ONE, RoleARN=arn)
    aws("iam").create_role(RoleName="deploy", AssumeRolePolicyDocument=trust("ec2"))
    with pytest.raises(ClientError, match=f"Role {arn} is invalid or cannot be assumed"):
        cloudformation().create_stack(StackName="s", TemplateBody=ONE, RoleARN=arn)
    aws("iam").update_assume_role_policy(RoleName="deploy", PolicyDocument=trust("cloudformation"))
    cloudformation().create_stack(StackName="s", TemplateBody=ONE, RoleARN=arn)


def trust(service: str) -> str:
    return json.dumps(
        {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Effect": "Allow",
                    "Principal": {"Service": f"{service}.amazonaws.com"},
                    "Action": "sts:AssumeRole",
                }
            ],
        }
    )


def revise(request: dict[str, Any]) -> Revision:
    store = Store(ACCOUNT, REGION)
    return read_revision(store, draft(store, "s"), request)
