"""Tests of services.sns.filter_policy_checks.

The messages and columns are those that others recorded on AWS: docs/reference/probes.md, source
`localstack`.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusterwright_localaws.services.sns.filter_policies import (
    IN_ATTRIBUTES,
    IN_BODY,
)
from clusterwright_localaws.services.sns.filter_policy_checks import (
    FilterPolicyError,
    check_filter_policy,
)


def problem(policy: Any, scope: str = IN_BODY) -> str:
    with pytest.raises(FilterPolicyError) as caught:
        check_filter_policy(policy, scope)
    return str(caught.value)


@pytest.mark.parametrize(
    ("condition", "text", "column"),
    [
        ([["x"]], "Match value must be String, number, true, false, or null", 10),
        ([], "Empty arrays are not allowed", 10),
        ([{"wrong": True}], "Unrecognized match type wrong", 22),
        ([{"suffix": "v", "prefix": "w"}], "Only one key allowed in match expression", 33),
        ([{"suffix": 100}], "suffix match pattern must be a string", 22),
        ([{"suffix": None}], "suffix match pattern must be a string", 23),
        ([{"suffix": ["a", "b"]}], "suffix match pattern must be a string", 20),
        ([{"cidr": ["x"]}], "prefix match pattern must be a string", 18),
        ({"suffix": "v"}, '"suffix" must be an object or an array', 19),
        ([{"exists": None}], "exists match pattern must be either true or false.", 23),
        ([{"exists": "no"}], "exists match pattern must be either true or false.", 20),
        ([{"anything-but": {"x": None}}], "Unsupported anything-but pattern: x", 34),
        ([{"anything-but": {"suffix": "t"}}], "Unsupported anything-but pattern: suffix", 36),
        ([{"anything-but": {"prefix": False}}], "prefix match pattern must be a string", 40),
        ([{"numeric": []}], "Invalid member in numeric match: ]", 22),
        ([{"numeric": [1, "<="]}], "Invalid member in numeric match: 1", 22),
        ([{"numeric": ["op"]}], "Unrecognized numeric range operator: op", 26),
        ([{"numeric": ["=", "0"]}], "Value of equals must be numeric", 26),
        ([{"numeric": [">="]}], "Value of >= must be numeric", 26),
        ([{"numeric": ["<", 100, ">", 10]}], "Too many elements in numeric expression", 30),
        ([{"numeric": [">=", 1, ">", 2]}], "Bad numeric range operator: >", 31),
        ([{"numeric": [">", 3, "<", 1]}], "Bottom must be less than top", 33),
        ([{"numeric": [">", 20, "<="]}], "Value of <= must be numeric", 33),
        ([{"numeric": [">", 20, 30]}], "Bad value in numeric range: 30", 30),
        ([{"numeric": [">", 20, "test"]}], "Bad numeric range operator: test", 34),
        ([{"numeric": [">", 20, "<", "30"]}], "Value of < must be numeric", 33),
        (
            [{"numeric": [">", 20, "<", 30, "<", 50]}],
            "Too many terms in numeric range expression",
            36,
        ),
        ([{"numeric": ["<", 10**400]}], "Value must be between -1000000000 and 1000000000", 426),
        ([1, -1e10], "Value must be between -1000000000 and 1000000000", 25),
        ([{"anything-but": 10**9 + 1}], "Value must be between -1000000000 and 1000000000", 35),
        ([{"anything-but": [1e999]}], "Value must be between -1000000000 and 1000000000", 34),
    ],
)
def test_conditions_that_are_refused(condition: Any, text: str, column: int) -> None:
    source = json.dumps({"key": condition}, separators=(",", ":"))
    assert problem({"key": condition}) == (
        f'FilterPolicy: {text}\n at [Source: (String)"{source}"; line: 1, column: {column}]'
    )


@pytest.mark.parametrize(
    ("range_", "text"),
    [
        ("bad", "Malformed CIDR, one '/' required"),
        ("10.0.0.0/x", "Malformed CIDR, mask bits must be an integer"),
        ("bad/64", "Nonstandard IP address: bad"),
    ],
)
def test_ranges_of_addresses_that_are_refused(range_: str, text: str) -> None:
    assert problem({"a": [{"cidr": range_}]}) == f"FilterPolicy: {text}"


def values(count: int) -> list[str]:
    return [f"v{number}" for number in range(count)]


def either(last: int) -> dict[str, Any]:
    """(3 + 2) × (2 × 2) × (2 + 2 × `last`) combinations."""
    branches = [{"d": values(1)}, {"e": values(last)}]
    return {
        "$or": [{"a": values(3)}, {"b": values(2)}],
        "x": {"c": values(2), "$or": branches},
    }


def test_limits() -> None:
    check_filter_policy({"a": [10**9, {"numeric": ["=", -1e9]}]}, IN_BODY)
    assert problem({name: ["x"] for name in "abcdef"}) == (
        "FilterPolicy: Filter policy can not have more than 5 keys"
    )
    check_filter_policy({"a": values(150)}, IN_ATTRIBUTES)
    check_filter_policy(either(2), IN_BODY)
    for policy in ({"a": values(151)}, {"a": values(100), "b": values(51)}, either(3)):
        assert problem(policy) == "FilterPolicy: Filter policy is too complex"


def test_attributes_are_not_nested() -> None:
    expected = "Filter policy scope MessageAttributes does not support nested filter policy"
    assert problem({"a": {"b": ["x"]}}, IN_ATTRIBUTES) == expected
    branches = [{"a": {"b": ["x"]}}, {"c": ["x"]}]
    assert problem({"$or": branches}, IN_ATTRIBUTES) == expected
    check_filter_policy({"$or": [{"a": ["x"]}, {"c": [{"anything-but": "x"}]}]}, IN_ATTRIBUTES)
