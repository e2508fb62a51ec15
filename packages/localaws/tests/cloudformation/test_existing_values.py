"""Values of parameters that must exist in the stack's account and Region."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws.core.runtime import runtime
from packages.localaws.tests.cloudformation.stacks import (
    aws,
    cloudformation,
    create,
    described,
    events,
    parameter,
    reason,
    settled,
    template,
    update,
)

ABSENT = {
    "AWS::EC2::AvailabilityZone::Name": "us-east-1q",
    "AWS::EC2::Image::Id": "not-an-ami",
    "AWS::EC2::Instance::Id": "i-0123456789abcdef0",
    "AWS::EC2::KeyPair::KeyName": "none",
    "AWS::EC2::SecurityGroup::GroupName": "none",
    "AWS::EC2::SecurityGroup::Id": "sg-0123456789abcdef0",
    "AWS::EC2::Subnet::Id": "subnet-0123456789abcdef0",
    "AWS::EC2::VPC::Id": "vpc-0123456789abcdef0",
    "AWS::EC2::Volume::Id": "vol-0123456789abcdef0",
    "AWS::SSM::Parameter::Name": "/none",
}


def with_type(kind: str, **declared: Any) -> str:
    return template({"A": parameter("a")}, Parameters={"P": {"Type": kind, **declared}})


def given(value: str) -> list[dict[str, Any]]:
    return [{"ParameterKey": "P", "ParameterValue": value}]


def present(kind: str) -> str:
    """A value that exists."""
    ec2 = aws("ec2")
    if kind == "AWS::EC2::KeyPair::KeyName":
        return str(ec2.create_key_pair(KeyName="k")["KeyName"])
    if kind == "AWS::EC2::Volume::Id":
        return str(ec2.create_volume(AvailabilityZone="us-east-1a", Size=1)["VolumeId"])
    if kind == "AWS::EC2::Image::Id":
        return "ami-0123456789abcdef0"
    if kind == "AWS::SSM::Parameter::Name":
        aws("ssm").put_parameter(Name="/there", Type="String", Value="v")
        return "/there"
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24")["Subnet"]["SubnetId"]
    if kind == "AWS::EC2::Instance::Id":
        started = ec2.run_instances(
            ImageId="ami-12c6146b", MinCount=1, MaxCount=1, SubnetId=subnet
        )
        return str(started["Instances"][0]["InstanceId"])
    if kind == "AWS::EC2::SecurityGroup::Id":
        group = ec2.create_security_group(GroupName="g", Description="d", VpcId=vpc)
        return str(group["GroupId"])
    return {
        "AWS::EC2::AvailabilityZone::Name": "us-east-1a",
        "AWS::EC2::SecurityGroup::GroupName": "default",
        "AWS::EC2::Subnet::Id": subnet,
        "AWS::EC2::VPC::Id": vpc,
    }[kind]


@pytest.mark.parametrize("kind", ABSENT)
def test_a_value_that_is_not_there_rolls_the_creation_back(local: None, kind: str) -> None:
    stack = create("s", with_type(kind), Parameters=given(ABSENT[kind]))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert reason("s", "s", "ROLLBACK_IN_PROGRESS") == (
        f"Parameter validation failed: parameter value {ABSENT[kind]} for parameter name P does "
        "not exist. Rollback requested by user."
    )
    assert {event["LogicalResourceId"] for event in events("s")} == {"s"}


@pytest.mark.parametrize("kind", ABSENT)
def test_a_value_that_is_there_deploys(local: None, kind: str) -> None:
    stack = create("s", with_type(kind), Parameters=given(present(kind)))
    assert stack["StackStatus"] == "CREATE_COMPLETE"


def test_every_item_of_a_list_exists(local: None) -> None:
    vpc = present("AWS::EC2::VPC::Id")
    body = with_type("List<AWS::EC2::VPC::Id>")
    assert create("good", body, Parameters=given(vpc))["StackStatus"] == "CREATE_COMPLETE"
    create("bad", body, Parameters=given(f"{vpc}, vpc-1, vpc-2"))
    assert reason("bad", "bad", "ROLLBACK_IN_PROGRESS") == (
        "Parameter validation failed: parameter value vpc-1 for parameter name P does not exist, "
        "parameter value vpc-2 for parameter name P does not exist. Rollback requested by user."
    )


def test_an_empty_value_does_not_exist(local: None) -> None:
    create("s", with_type("AWS::EC2::KeyPair::KeyName", Default=""))
    assert reason("s", "s", "ROLLBACK_IN_PROGRESS").startswith(
        "Parameter validation failed: parameter value for parameter name P does not exist."
    )


def test_the_value_of_an_ssm_parameter_exists(local: None) -> None:
    ssm = aws("ssm")
    ssm.put_parameter(Name="/vpc", Type="String", Value="vpc-1")
    ssm.put_parameter(Name="/zones", Type="StringList", Value="us-east-1a, us-east-1q")
    create("one", with_type("AWS::SSM::Parameter::Value<AWS::EC2::VPC::Id>", Default="/vpc"))
    assert "parameter value vpc-1 for" in reason("one", "one", "ROLLBACK_IN_PROGRESS")
    kind = "AWS::SSM::Parameter::Value<List<AWS::EC2::AvailabilityZone::Name>>"
    create("two", with_type(kind, Default="/zones"))
    assert "value us-east-1q for" in reason("two", "two", "ROLLBACK_IN_PROGRESS")
    assert "value us-east-1a for" not in reason("two", "two", "ROLLBACK_IN_PROGRESS")


def test_a_value_that_is_gone_rolls_an_update_back(local: None) -> None:
    key = present("AWS::EC2::KeyPair::KeyName")
    body = with_type("AWS::EC2::KeyPair::KeyName")
    create("s", body, Parameters=given(key))
    aws("ec2").delete_key_pair(KeyName=key)
    changed = json.loads(body)
    changed["Resources"]["A"] = parameter("b")
    previous = [{"ParameterKey": "P", "UsePreviousValue": True}]
    stack = update("s", json.dumps(changed), Parameters=previous)
    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert reason("s", "s", "UPDATE_ROLLBACK_IN_PROGRESS") == (
        "Parameter validation failed: parameter value k for parameter name P does not exist"
    )


def test_a_change_set_fails(local: None) -> None:
    cfn = cloudformation()
    made = cfn.create_change_set(
        StackName="s",
        ChangeSetName="c",
        ChangeSetType="CREATE",
        TemplateBody=with_type("AWS::EC2::VPC::Id"),
        Parameters=given("vpc-1"),
    )
    found = cfn.describe_change_set(ChangeSetName=made["Id"])
    assert (found["Status"], found["StatusReason"]) == (
        "FAILED",
        "Parameter validation failed: parameter value vpc-1 for parameter name P does not exist",
    )


def test_a_nested_stack_fails_as_a_resource(local: None) -> None:
    s3 = aws("s3")
    s3.create_bucket(Bucket="templates")
    inner = with_type("AWS::EC2::VPC::Id")
    s3.put_object(Bucket="templates", Key="inner.json", Body=inner.encode())
    url = "https://templates.s3.amazonaws.com/inner.json"
    nested = {
        "Type": "AWS::CloudFormation::Stack",
        "Properties": {"TemplateURL": url, "Parameters": {"P": "vpc-1"}},
    }
    assert create("s", template({"N": nested}))["StackStatus"] == "ROLLBACK_COMPLETE"
    assert reason("s", "N", "CREATE_FAILED").endswith(
        "was not successfully created: Parameter validation failed: parameter value vpc-1 for "
        "parameter name P does not exist"
    )


def test_a_hidden_value_is_not_shown(local: None) -> None:
    create("s", with_type("AWS::EC2::VPC::Id", NoEcho=True), Parameters=given("vpc-secret"))
    assert "parameter value **** for" in reason("s", "s", "ROLLBACK_IN_PROGRESS")


@pytest.mark.parametrize(
    ("kind", "stored"),
    [("CommaDelimitedList", "String"), ("List<String>", "String"), ("String", "StringList")],
)
def test_types_of_ssm_and_of_the_template_agree(local: None, kind: str, stored: str) -> None:
    aws("ssm").put_parameter(Name="/p", Type=stored, Value="x,y")
    message = r"Types for SSM parameters \[/p\] defined in CFN template and SSM are incompatible"
    with pytest.raises(ClientError, match=message):
        create("s", with_type(f"AWS::SSM::Parameter::Value<{kind}>", Default="/p"))


def test_constraints_are_those_of_an_ssm_parameters_name(local: None) -> None:
    aws("ssm").put_parameter(Name="/name", Type="String", Value="value")
    kind = "AWS::SSM::Parameter::Value<String>"
    body = with_type(kind, Default="/name", AllowedPattern="/n.*", AllowedValues=["/name"])
    assert create("good", body)["StackStatus"] == "CREATE_COMPLETE"
    with pytest.raises(ClientError, match=r"Parameter 'P' must match pattern v\.\*"):
        create("bad", with_type(kind, Default="/name", AllowedPattern="v.*"))


def test_a_list_of_ssm_is_trimmed(local: None) -> None:
    aws("ssm").put_parameter(Name="/p", Type="StringList", Value="a,b, c ,d")
    kind = "AWS::SSM::Parameter::Value<List<String>>"
    create("s", with_type(kind, Default="/p"))
    assert described("s")["Parameters"][0]["ResolvedValue"] == "a,b,c,d"


def test_types_that_are_not_documented_are_refused(local: None) -> None:
    message = "Template format error: Unrecognized parameter type: AWS::EC2::Thing::Id"
    with pytest.raises(ClientError, match=message):
        create("s", with_type("AWS::EC2::Thing::Id", Default="x"))


def test_what_is_not_examined_is_said(local: None) -> None:
    said: list[str] = []
    runtime().log = said.append
    create("plain", with_type("String", Default="x"))
    assert not any("of parameters of type" in text for text in said)
    zone = "AWS::Route53::HostedZone::Id"
    assert create("s", with_type(zone, Default="Z1"))["StackStatus"] == "CREATE_COMPLETE"
    assert any(f"values of parameters of type {zone} need not exist" in text for text in said)
    assert settled("s")
