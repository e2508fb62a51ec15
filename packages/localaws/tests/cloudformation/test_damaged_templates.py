"""Every invalid template is refused in the format of CloudFormation."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from clusterwright_localaws import local_aws
from packages.localaws.tests.cloudformation.stacks import (
    CAPABILITIES,
    cloudformation,
    parameter,
    resource,
    template,
)

WHOLE: dict[str, Any] = {
    "AWSTemplateFormatVersion": "2010-09-09",
    "Description": "everything a little",
    "Transform": "AWS::LanguageExtensions",
    "Parameters": {
        "Size": {"Type": "Number", "Default": 1, "MinValue": 1, "MaxValue": 9},
        "Names": {"Type": "CommaDelimitedList", "Default": "a,b"},
        "Word": {"Type": "String", "Default": "x", "AllowedPattern": "[a-z]+", "NoEcho": True},
    },
    "Mappings": {"Where": {"us-east-1": {"zone": "a", "list": ["p", "q"]}}},
    "Conditions": {
        "Yes": {"Fn::Equals": [{"Ref": "Size"}, 1]},
        "No": {"Fn::Not": [{"Condition": "Yes"}]},
        "Both": {"Fn::And": [{"Condition": "Yes"}, {"Fn::Or": [{"Condition": "No"}, "true"]}]},
    },
    "Rules": {
        "Small": {
            "RuleCondition": {"Fn::Equals": [{"Ref": "Word"}, "x"]},
            "Assertions": [{"Assert": {"Fn::Contains": [["1", "2"], {"Ref": "Size"}]}}],
        }
    },
    "Resources": {
        "One": parameter({"Fn::Sub": ["${A}-${AWS::Region}-${Word}", {"A": {"Ref": "Size"}}]}),
        "Two": {
            **parameter({"Fn::Join": [",", {"Fn::Split": ["-", {"Ref": "One"}]}]}),
            "Condition": "Yes",
            "DependsOn": ["One"],
            "DeletionPolicy": "Delete",
            "Metadata": {"m": 1},
        },
        "Three": parameter(
            {"Fn::If": ["Both", {"Fn::FindInMap": ["Where", {"Ref": "AWS::Region"}, "zone"]}, "n"]}
        ),
        "Topic": resource("AWS::SNS::Topic", {"Tags": [{"Key": "a", "Value": "b"}]}),
        "Four": parameter({"Fn::Select": [0, {"Fn::Cidr": ["10.0.0.0/24", 2, 4]}]}),
        "Five": parameter({"Fn::ToJsonString": {"arn": {"Fn::GetAtt": ["Topic", "TopicArn"]}}}),
    },
    "Outputs": {
        "Out": {"Value": {"Ref": "One"}, "Export": {"Name": {"Fn::Sub": "${AWS::StackName}-o"}}},
        "Cond": {"Value": "v", "Condition": "No", "Description": "d"},
    },
}

JUNK = st.sampled_from(
    [
        *(None, True, 0, -1, 1.5, "", "x", "AWS::NoValue", [], {}, [[]], [{}], ["x"], {"x": "y"}),
        *({"Ref": "One"}, {"Ref": "Nothing"}, {"Ref": []}, {"Ref": {"Ref": "Word"}}),
        *({"Fn::GetAtt": []}, {"Fn::GetAtt": "Topic"}, {"Fn::GetAtt": ["Topic", {"Ref": "Word"}]}),
        *({"Fn::Sub": []}, {"Fn::Sub": ["${", {}]}, {"Fn::Sub": "${One.Value}${!x}${}"}),
        *({"Fn::If": []}, {"Fn::If": ["Yes"]}, {"Fn::If": ["Gone", 1, 2]}, {"Condition": "Gone"}),
        *({"Fn::Join": ["", "x"]}, {"Fn::Split": ["", "x"]}, {"Fn::Select": ["x", []]}),
        *({"Fn::FindInMap": ["Where", "x", "y"]}, {"Fn::FindInMap": [{}, [], 1]}),
        *({"Fn::Cidr": []}, {"Fn::Cidr": ["x", {}, []]}, {"Fn::GetAZs": []}, {"Fn::Length": 1}),
        *({"Fn::Base64": []}, {"Fn::ImportValue": []}, {"Fn::ImportValue": "gone"}),
        *({"Fn::Transform": {}}, {"Fn::ForEach::X": []}, {"Fn::Unknown": 1}, {"Fn::And": [1]}),
        *("{{resolve:ssm:/gone}}", "{{resolve:ssm-secure:/a}}", "{{resolve:what}}", "x" * 300),
        {"Ref": "Word", "Fn::Sub": "x"},
    ]
)


def paths(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if here:
        yield here
    if isinstance(value, dict):
        for key, item in value.items():
            yield from paths(item, (*here, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from paths(item, (*here, number))


@pytest.mark.usefixtures("local")
def test_undamaged_template_is_deployed() -> None:
    cloudformation().create_stack(
        StackName="s", TemplateBody=json.dumps(WHOLE), Capabilities=CAPABILITIES
    )
    found = cloudformation().describe_stacks(StackName="s")["Stacks"][0]
    assert found["StackStatus"] == "CREATE_COMPLETE", found.get("StackStatusReason")


PLACES = list(paths(WHOLE))


def damaged(place: tuple[Any, ...], junk: Any, *, as_key: bool) -> str:
    body = copy.deepcopy(WHOLE)
    node: Any = body
    for key in place[:-1]:
        node = node[key]
    if as_key and isinstance(node, dict):
        node[str(junk)[:400]] = node.pop(place[-1])
    else:
        node[place[-1]] = junk
    return json.dumps(body)


@settings(
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=150,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
@given(place=st.sampled_from(PLACES), junk=JUNK, as_key=st.booleans())
def test_damaged_template_is_refused_or_deployed(
    place: tuple[Any, ...], junk: Any, as_key: bool
) -> None:
    body = damaged(place, junk, as_key=as_key)
    with local_aws():
        try:
            cloudformation().create_stack(
                StackName="s", TemplateBody=body, Capabilities=CAPABILITIES
            )
        except ClientError as error:
            code = error.response["Error"]["Code"]
        else:
            code = None
        if code is not None:
            assert code == "ValidationError", body
            return
        found = cloudformation().describe_stacks(StackName="s")["Stacks"][0]
        assert found["StackStatus"] in ("CREATE_COMPLETE", "ROLLBACK_COMPLETE"), body
        for event in cloudformation().describe_stack_events(StackName="s")["StackEvents"]:
            assert "local AWS failed" not in event.get("ResourceStatusReason", ""), body
        cloudformation().delete_stack(StackName="s")


@pytest.mark.usefixtures("local")
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"Description": "x" * 1025}, "'Description' length is greater than 1024"),
        ({"Mappings": {f"M{n}": {} for n in range(201)}}, "Number of mappings, 201"),
        ({"Mappings": {"M": {f"k{n}": {} for n in range(201)}}}, "attributes of mapping M, 201"),
        ({"Outputs": {f"O{n}": {"Value": "v"} for n in range(201)}}, "Number of outputs, 201"),
        (
            {"Parameters": {f"P{n}": {"Type": "String", "Default": ""} for n in range(201)}},
            "Number of parameters, 201",
        ),
        ({"Resources": {"R" * 256: parameter("x")}}, "has 256 characters, the maximum is 255"),
        ({"Parameters": {"P": {"Type": "String", "Default": "x" * 4097}}}, "4096 bytes"),
        (
            {"Resources": {"P": parameter("{{resolve:ssm-secure:/a}}")}},
            "SSM Secure reference is not supported in: [AWS::SSM::Parameter/Properties/Value]",
        ),
        (
            {"Resources": {"P": parameter("{{resolve:ssm:/a}}" * 61)}},
            "Number of dynamic references, 61",
        ),
        (
            {"Resources": {"Fn::ForEach::L": ["X", ["a"], {"P${X}": parameter("x")}]}},
            "Fn::ForEach::L needs the transform AWS::LanguageExtensions",
        ),
        (
            {"Resources": {"P": parameter({"Fn::GetAtt": ["P", "Value"]})}},
            "Circular dependency between resources: [P]",
        ),
        (
            {"Resources": {"P": {**parameter("x"), "DeletionPolicy": {"Fn::Sub": "Retain"}}}},
            "Every DeletionPolicy member must be a string.",
        ),
        ({"Transform": {"Name": "AWS::Other"}}, "No transform named AWS::Other found."),
    ],
)
def test_limits_and_structure_are_validated(changes: dict[str, Any], message: str) -> None:
    body = {"Resources": {"P": parameter("x")}, **changes}
    with pytest.raises(ClientError) as caught:
        cloudformation().create_stack(StackName="s", TemplateBody=template(**_named(body)))
    assert message in str(caught.value)


def _named(body: dict[str, Any]) -> dict[str, Any]:
    return {"resources": body.pop("Resources"), **body}


@pytest.mark.usefixtures("local")
def test_deeply_nested_template_is_refused() -> None:
    body = '{"Resources": {"P": ' + "[" * 5000 + "]" * 5000 + "}}"
    with pytest.raises(ClientError, match="unsupported structure"):
        cloudformation().create_stack(StackName="s", TemplateBody=body)
