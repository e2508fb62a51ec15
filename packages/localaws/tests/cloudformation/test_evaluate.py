from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.evaluate import UNKNOWN, Scope

MAPPINGS = {"Sizes": {"us-east-1": {"small": 10, "zones": ["a", "b"]}}}
CONDITIONS = {
    "Yes": {"Fn::Equals": [{"Ref": "Env"}, "prod"]},
    "No": {"Fn::Not": [{"Condition": "Yes"}]},
    "Loop": {"Condition": "Loop"},
}


def scope(*, extensions: bool = False) -> Scope:
    def attribute(name: str, attribute: str) -> Any:
        return UNKNOWN if name == "New" else f"{name}.{attribute}"

    return Scope(
        pseudo={
            "AWS::Region": "us-east-1",
            "AWS::StackName": "s",
            "AWS::AccountId": "111122223333",
        },
        parameters={"Env": "prod", "Count": "3", "List": ["x", "y"]},
        mappings=MAPPINGS,
        condition_expressions=CONDITIONS,
        resource_names=frozenset({"Old", "New"}),
        resource_ref=lambda name: UNKNOWN if name == "New" else "old-1",
        resource_attribute=attribute,
        import_value=lambda name: f"imported {name}",
        zones=lambda region: [f"{region}a", f"{region}b"],
        language_extensions=extensions,
    )


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ({"Ref": "Env"}, "prod"),
        ({"Ref": "List"}, ["x", "y"]),
        ({"Ref": "AWS::Region"}, "us-east-1"),
        ({"Ref": "Old"}, "old-1"),
        ({"Fn::GetAtt": ["Old", "Endpoint.Address"]}, "Old.Endpoint.Address"),
        ({"Fn::GetAtt": "Old.Arn"}, "Old.Arn"),
        ({"Fn::Sub": "${Env}-${Old.Arn}-${AWS::Region}"}, "prod-Old.Arn-us-east-1"),
        ({"Fn::Sub": ["${a}-${Env}", {"a": {"Ref": "Count"}}]}, "3-prod"),
        ({"Fn::Sub": "${!Literal} $plain {x}"}, "${Literal} $plain {x}"),
        ({"Fn::Join": ["-", ["a", {"Ref": "Env"}, 3, True]]}, "a-prod-3-true"),
        ({"Fn::Join": [",", {"Ref": "List"}]}, "x,y"),
        ({"Fn::Select": ["1", ["a", "b"]]}, "b"),
        ({"Fn::Select": [0, {"Fn::GetAZs": ""}]}, "us-east-1a"),
        ({"Fn::GetAZs": {"Ref": "AWS::Region"}}, ["us-east-1a", "us-east-1b"]),
        ({"Fn::Split": ["|", "a|b|c"]}, ["a", "b", "c"]),
        ({"Fn::If": ["Yes", "y", "n"]}, "y"),
        ({"Fn::If": ["No", "y", {"Ref": "Env"}]}, "prod"),
        ({"Fn::Equals": ["3", {"Ref": "Count"}]}, True),
        ({"Fn::Equals": [1, "1"]}, True),
        ({"Fn::And": [{"Condition": "Yes"}, {"Fn::Equals": ["a", "a"]}]}, True),
        ({"Fn::Or": [{"Condition": "No"}, {"Fn::Equals": ["a", "b"]}]}, False),
        ({"Fn::FindInMap": ["Sizes", {"Ref": "AWS::Region"}, "small"]}, 10),
        ({"Fn::FindInMap": ["Sizes", "us-east-1", "zones"]}, ["a", "b"]),
        ({"Fn::ImportValue": {"Fn::Sub": "${Env}:Vpc"}}, "imported prod:Vpc"),
        ({"Fn::Base64": "hello"}, "aGVsbG8="),
        ({"Fn::Cidr": ["10.0.0.0/16", 2, 8]}, ["10.0.0.0/24", "10.0.1.0/24"]),
        ({"Fn::Select": [2, {"Fn::Cidr": ["10.0.0.0/16", 4, 14]}]}, "10.0.128.0/18"),
        (
            {"a": [{"Ref": "Env"}, {"Ref": "AWS::NoValue"}], "b": {"Ref": "AWS::NoValue"}},
            {"a": ["prod"]},
        ),
        (
            {"Condition": {"StringEquals": {"x": {"Ref": "Env"}}}},
            {"Condition": {"StringEquals": {"x": "prod"}}},
        ),
    ],
)
def test_function_is_evaluated(expression: object, value: object) -> None:
    assert scope().evaluate(expression) == value


@pytest.mark.parametrize(
    "expression",
    [
        {"Ref": "New"},
        {"Fn::GetAtt": ["New", "Arn"]},
        {"Fn::Sub": "a-${New}-b"},
        {"Fn::Join": ["", ["a", {"Ref": "New"}]]},
        {"Fn::Select": [0, {"Fn::Split": ["/", {"Ref": "New"}]}]},
        {"Fn::Base64": {"Ref": "New"}},
        {"Fn::ImportValue": {"Ref": "New"}},
        {"Fn::Cidr": [{"Ref": "New"}, 2]},
    ],
)
def test_a_function_of_an_unknown_value_is_unknown(expression: object) -> None:
    assert scope().evaluate(expression) is UNKNOWN


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ({"Ref": "Nobody"}, r"Unresolved resource dependencies \[Nobody\]"),
        ({"Fn::GetAtt": ["Nobody", "Arn"]}, "references undefined resource Nobody"),
        ({"Fn::GetAtt": ["Old"]}, "requires two non-empty parameters"),
        ({"Fn::Sub": "${Nobody}"}, r"Unresolved resource dependencies \[Nobody\]"),
        ({"Fn::Sub": "${List}"}, "does not resolve to a string"),
        ({"Fn::Sub": ["a"]}, "Fn::Sub"),
        ({"Fn::Join": [",", "text"]}, "every Fn::Join object"),
        ({"Fn::Join": [",", [{"a": 1}]]}, "every Fn::Join object"),
        ({"Fn::Select": [5, {"Ref": "List"}]}, "nonexistent value at index 5"),
        ({"Fn::Select": ["x", ["a"]]}, "an integer index and a list"),
        ({"Fn::Split": [",", ["a"]]}, "every Fn::Split object"),
        ({"Fn::If": ["Nobody", 1, 2]}, "Unresolved condition dependency Nobody"),
        ({"Fn::If": ["Yes", 1]}, "Fn::If requires"),
        ({"Fn::Not": [{"Condition": "Loop"}]}, "Loop refers to itself"),
        ({"Fn::And": [{"Condition": "Yes"}]}, "at least 2 and at most 10"),
        ({"Fn::FindInMap": ["Nope", "a", "b"]}, "Mapping named 'Nope'"),
        (
            {"Fn::FindInMap": ["Sizes", "eu-west-1", "small"]},
            "Unable to get mapping for Sizes::eu-west-1::small",
        ),
        ({"Fn::Cidr": ["10.0.0.0/24", 300, 4]}, "Fn::Cidr"),
        ({"Fn::Cidr": ["10.0.0.0/24", 8, 8]}, "Fn::Cidr"),
        ({"Fn::Length": ["a"]}, "needs the transform AWS::LanguageExtensions"),
        ({"Fn::Nope": 1}, "Unrecognized function Fn::Nope"),
        ({"Fn::ForEach::x": 1}, "does not support the function Fn::ForEach::x"),
        ({"Fn::Sub": "a", "b": 1}, "must be the only key"),
    ],
)
def test_invalid_function_is_refused(expression: object, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        scope().evaluate(expression)


def test_language_extensions_are_evaluated() -> None:
    with_extensions = scope(extensions=True)
    assert with_extensions.evaluate({"Fn::Length": {"Ref": "List"}}) == 2
    assert with_extensions.evaluate({"Fn::ToJsonString": {"a": {"Ref": "Env"}}}) == '{"a":"prod"}'
    assert with_extensions.evaluate({"Fn::ToJsonString": {"a": {"Ref": "New"}}}) is UNKNOWN
    assert (
        with_extensions.evaluate(
            {"Fn::FindInMap": ["Sizes", "eu-west-1", "small", {"DefaultValue": 7}]}
        )
        == 7
    )
