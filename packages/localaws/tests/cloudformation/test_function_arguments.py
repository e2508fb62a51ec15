"""The form of functions' arguments, which a template must have also where nothing uses them."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.cloudformation.errors import ValidationError
from clusterwright_localaws.cloudformation.function_arguments import check_functions


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ({"Fn::And": [True]}, "at least 2 and at most 10"),
        ({"Fn::Or": [True] * 11}, "at least 2 and at most 10"),
        ({"Fn::Not": [True, False]}, "one boolean parameter"),
        ({"Fn::Equals": ["a"]}, "a list of 2 string parameters"),
        ({"Fn::If": [{"Ref": "A"}, 1, 2]}, "a condition name"),
        ({"Fn::Join": ["-"]}, "every Fn::Join object"),
        ({"Fn::Split": "a-b"}, "every Fn::Split object"),
        ({"Fn::Select": ["first", ["a"]]}, "an integer index and a list"),
        ({"Fn::Select": [0, "a"]}, "an integer index and a list"),
        ({"Fn::Select": [1, ["a"]]}, "an integer index and a list"),
        ({"Fn::GetAtt": ["A"]}, "two non-empty parameters"),
        ({"Fn::GetAtt": "A"}, "two non-empty parameters"),
        ({"Fn::GetAtt": [{"Ref": "A"}, "Arn"]}, "two non-empty parameters"),
        ({"Fn::FindInMap": ["M", "a"]}, "every Fn::FindInMap object"),
        ({"Fn::Cidr": ["10.0.0.0/16"]}, "every Fn::Cidr object"),
        ({"Fn::Sub": ["${A}"]}, "don't specify expected arguments"),
        ({"Fn::Sub": {"Ref": "A"}}, "don't specify expected arguments"),
    ],
)
def test_wrong_form_is_refused_at_any_depth(function: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        check_functions({"Unused": {"Fn::Not": [{"a": [function]}]}})


@pytest.mark.parametrize(
    "function",
    [
        {"Fn::Select": ["0", ["a"]]},
        {"Fn::Select": [{"Ref": "Index"}, ["a"]]},
        {"Fn::Select": [3, {"Fn::GetAZs": ""}]},
        {"Fn::Select": [3, [{"Fn::If": ["C", "a", {"Ref": "AWS::NoValue"}]}]]},
        {"Fn::GetAtt": "A.B.C"},
        {"Fn::GetAtt": ["A", {"Ref": "Attribute"}]},
        {"Fn::Sub": ["${a}", {"a": "b"}]},
        {"Fn::Equals": ["a", "b"], "Statement": []},  # no function: it has another key
        {"Fn::Unknown": 1},
    ],
)
def test_right_form_is_accepted(function: dict[str, Any]) -> None:
    check_functions([function])
