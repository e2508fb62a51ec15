"""Sizes and shapes that every template must keep to."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.template_limits import check_limits

SECRET = "{{resolve:secretsmanager:db:SecretString:password}}"


def properties(value: Any, kind: str = "AWS::SSM::Parameter", **more: Any) -> dict[str, Any]:
    return {"Resources": {"A": {"Type": kind, "Properties": {"Value": value, **more}}}}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            {"Resources": {f"A{n}": {} for n in range(501)}},
            "Number of resources, 501, is greater than maximum allowed, 500",
        ),
        (
            {"Outputs": {f"A{n}": {} for n in range(201)}},
            "Number of outputs, 201, is greater than maximum allowed, 200",
        ),
        ({"Description": 1}, "Every Description member must be a string."),
        ({"Description": "é" * 513}, "'Description' length is greater than 1024."),
        (
            {"Parameters": {"P" * 256: {}}},
            "Parameter name PPPPPPPPPPPPPPPPPPPP... has 256 characters, the maximum is 255",
        ),
        ({"Mappings": {"M": {"a": 1}}}, "Every Mappings member a must be a map"),
        ({"Mappings": {"M": 1}}, "Every Mappings member M must be a map"),
        (
            {"Mappings": {"M": {f"k{n}": {} for n in range(201)}}},
            "Number of attributes of mapping M, 201, is greater than maximum allowed, 200",
        ),
        ({"Mappings": {"M": {"a": {"b": {}}}}}, "must be a String or a List."),
        ({"Mappings": {"M": {"a": {"b": [[]]}}}}, "must be a String or a List."),
        ({"Rules": {"R": {"Assertions": [{}]}}}, "rule R must be an object with Assertions"),
        ({"Rules": {"R": []}}, "rule R must be an object with Assertions"),
        ({"Outputs": {"O": {"Export": "name"}}}, "Output O is malformed."),
        ({"Outputs": {"O": {"Export": {"Name": "a", "B": 1}}}}, "Output O is malformed."),
        (
            properties([SECRET] * 61),
            "Number of dynamic references, 61, is greater than maximum allowed, 60",
        ),
        (
            properties("{{resolve:ssm-secure:p:1}}"),
            "SSM Secure reference is not supported in: [AWS::SSM::Parameter/Properties/Value] (A)",
        ),
    ],
)
def test_refused(body: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        check_limits(body)
    assert message in caught.value.message


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"Description": "é" * 512},
        {"Mappings": {"M": {"a": {"b": ["x", 1], "c": "y"}}}},
        {"Rules": {"R": {"Assertions": [{"Assert": True}]}}},
        {"Outputs": {"O": {"Value": "v", "Export": {"Name": "n"}}, "P": None}},
        {"Resources": {"A": "broken"}},
        properties([SECRET] * 60),
        properties(
            "x",
            "AWS::RDS::DBInstance",
            MasterUserPassword={"Fn::Sub": "{{resolve:ssm-secure:p:1}}"},
        ),
    ],
)
def test_accepted(body: dict[str, Any]) -> None:
    check_limits(body)
