"""Symbolic values of templates: equal expressions have equal values."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.review.expressions import (
    NO_VALUE,
    Reference,
    Scope,
    references,
    scalar,
    shown,
)

TEMPLATE = {
    "Parameters": {
        "Name": {"Type": "String", "Default": "train"},
        "Zones": {"Type": "CommaDelimitedList", "Default": "a, b"},
        "Image": {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/image"},
        "Open": {"Type": "String"},
    },
    "Mappings": {"Sizes": {"us-east-1": {"small": 4}}},
    "Conditions": {
        "Here": {"Fn::Equals": [{"Ref": "AWS::Region"}, "us-east-1"]},
        "Later": {"Fn::Equals": [{"Ref": "Open"}, "yes"]},
    },
    "Resources": {"Vpc": {"Type": "AWS::EC2::VPC"}, "Fn::ForEach::Subnets": []},
}
SCOPE = Scope("network", TEMPLATE, {"AWS::Region": "us-east-1"})


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (5, "5"),
        (5.0, "5"),
        (2.5, "2.5"),
        (True, "true"),
        (None, NO_VALUE),
    ],
)
def test_scalars_are_text(value: Any, expected: Any) -> None:
    assert scalar(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"Ref": "AWS::Region"}, "us-east-1"),
        ({"Ref": "AWS::AccountId"}, ("pseudo", "AWS::AccountId")),
        ({"Ref": "AWS::StackName"}, ("pseudo", "network:AWS::StackName")),
        ({"Ref": "Name"}, "train"),
        ({"Ref": "Zones"}, ["a", "b"]),
        ({"Ref": "Image"}, ("parameter", "Image", "/image")),
        ({"Ref": "Open"}, ("given", "Open")),
        ({"Ref": "Vpc"}, ("ref", "Vpc")),
        ({"Fn::GetAtt": "Vpc.CidrBlock"}, ("attribute", "Vpc", "CidrBlock")),
        ({"Fn::GetAtt": ["Vpc", "CidrBlock"]}, ("attribute", "Vpc", "CidrBlock")),
        ({"Fn::Sub": "arn:${AWS::Region}:${Name}"}, "arn:us-east-1:train"),
        ({"Fn::Sub": ["${a}-${!b}", {"a": "x"}]}, "x-${b}"),
        (
            {"Fn::Sub": "${Vpc}/${Vpc.CidrBlock}"},
            ("join", (("ref", "Vpc"), "/", ("attribute", "Vpc", "CidrBlock"))),
        ),
        ({"Fn::Join": ["-", ["a", {"Ref": "Name"}, 1]]}, "a-train-1"),
        ({"Fn::Join": ["", [{"Ref": "Vpc"}]]}, ("ref", "Vpc")),
        ({"Fn::Join": ["", []]}, ""),
        ({"Fn::FindInMap": ["Sizes", {"Ref": "AWS::Region"}, "small"]}, "4"),
        ({"Fn::Select": [1, {"Ref": "Zones"}]}, "b"),
        ({"Fn::Split": ["-", "a-b"]}, ["a", "b"]),
        ({"Fn::If": ["Here", "yes", "no"]}, "yes"),
        ({"Fn::ImportValue": "exported"}, ("import", "exported")),
        ([1, {"Ref": "AWS::NoValue"}], ["1"]),
        ({"Kept": 1, "Removed": {"Ref": "AWS::NoValue"}}, {"Kept": "1"}),
    ],
)
def test_values(value: Any, expected: Any) -> None:
    assert SCOPE.value(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        {"Fn::Select": [7, {"Ref": "Zones"}]},
        {"Fn::Select": [{"Ref": "Open"}, {"Ref": "Zones"}]},
        {"Fn::Split": ["", "a-b"]},
        {"Fn::FindInMap": ["Sizes", {"Ref": "Open"}, "small"]},
        {"Fn::Join": ["-", {"Ref": "Open"}]},
        {"Fn::Cidr": ["10.0.0.0/16", 4, 8]},
        {"Fn::GetAtt": ["Vpc"]},
    ],
)
def test_what_cannot_be_computed_is_kept_as_a_function(value: Any) -> None:
    (name,) = value
    found = SCOPE.value(value)
    assert found[:2] == ("fn", name)
    assert found == SCOPE.value(value)


def test_parameter_values_replace_defaults() -> None:
    scope = Scope("network", TEMPLATE, {}, {"Name": "dev"})
    assert scope.value({"Ref": "Name"}) == "dev"


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("Here", True),
        ("Later", None),
        ("Missing", None),
        ({"Fn::Not": [{"Condition": "Here"}]}, False),
        ({"Fn::Not": [{"Condition": "Later"}]}, None),
        ({"Fn::And": [{"Condition": "Here"}, {"Condition": "Later"}]}, None),
        (
            {"Fn::And": [{"Fn::Not": [{"Condition": "Here"}]}, {"Condition": "Later"}]},
            False,
        ),
        ({"Fn::Or": [{"Condition": "Later"}, {"Condition": "Here"}]}, True),
        ({"Fn::Or": [{"Condition": "Later"}, {"Condition": "Later"}]}, None),
        ({"Fn::Equals": ["a", "b"]}, False),
        ({"Fn::Xor": []}, None),
        (7, None),
    ],
)
def test_conditions(condition: Any, expected: bool | None) -> None:
    assert SCOPE.condition(condition) is expected


def test_an_open_condition_keeps_both_values() -> None:
    found = SCOPE.value({"Fn::If": ["Later", "yes", {"Ref": "Vpc"}]})
    assert found[0] == "if"
    assert found[2:] == ("yes", ("ref", "Vpc"))
    assert list(references(found)) == [Reference("ref", "Vpc")]


def test_resources_without_loops() -> None:
    assert list(SCOPE.resources) == ["Vpc"]
    assert SCOPE.unresolved == "it has Fn::ForEach::Subnets among its resources"
    transformed = Scope("network", {"Transform": ["AWS::Include"]})
    assert transformed.unresolved == "it is transformed at deployment by AWS::Include"
    assert Scope("network", {"Resources": {}}).unresolved is None


def test_references_of_every_kind() -> None:
    found = SCOPE.value(
        {
            "a": {"Fn::Sub": "${Vpc}/${Vpc.CidrBlock}"},
            "b": [{"Ref": "Image"}, {"Fn::ImportValue": {"Fn::Sub": "x-${Open2}"}}],
        }
    )
    assert set(references(found)) == {
        Reference("ref", "Vpc"),
        Reference("attribute", "Vpc", "CidrBlock"),
        Reference("parameter", "Image"),
        Reference("import", ""),
        Reference("ref", "Open2"),
    }


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        ({"Ref": "Vpc"}, "<Vpc>"),
        ({"Fn::GetAtt": "Vpc.CidrBlock"}, "<Vpc.CidrBlock>"),
        ({"Fn::ImportValue": "exported"}, "<exported>"),
        ({"Ref": "AWS::AccountId"}, "<AWS::AccountId>"),
        ({"Ref": "Image"}, "<Image>"),
        ({"Fn::Sub": "a/${Vpc}"}, "a/<Vpc>"),
        ({"Key": [{"Ref": "Vpc"}]}, '{"Key": ["<Vpc>"]}'),
        ({"Fn::Cidr": [{"Ref": "Vpc"}]}, '["fn", "Fn::Cidr", ["<Vpc>"]]'),
    ],
)
def test_display(value: Any, text: str) -> None:
    assert shown(SCOPE.value(value)) == text
