"""Tests of services.sns.filter_policies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clusterwright_localaws.services.sns.filter_policies import (
    IN_ATTRIBUTES,
    IN_BODY,
    accepts,
)


def accepted(policy: Any, body: Any) -> bool:
    return accepts(policy, IN_BODY, json.dumps(body), None)


@pytest.mark.parametrize(
    ("condition", "good", "bad"),
    [
        ("x", ["x", ["y", "x"]], ["X", 1, None, []]),
        (1, [1, 1.0, 1.0000001], [True, "1", 1.00001, 10**400, 1e305]),
        (True, [True], [1, "true", False]),
        (None, [None], [False, 0, ""]),
        ({"prefix": "ab"}, ["abc", "ab"], ["bab", 1, None]),
        ({"suffix": "ab"}, ["cab"], ["abc", None]),
        ({"equals-ignore-case": "Ab"}, ["aB", "AB"], ["abc"]),
        ({"anything-but": "x"}, ["y", ["x", "y"], 1], ["x", ["x"]]),
        ({"anything-but": ["x", 2]}, ["y", 3], ["x", 2]),
        ({"anything-but": {"prefix": "x"}}, ["ax", 1], ["xa"]),
        ({"numeric": [">", 1, "<=", 3]}, [2, 3, 1.5], [1, 4, "2", True]),
        ({"numeric": ["=", 3.5]}, [3.5], [3.6, 10**400]),
        ({"numeric": [">", 1]}, [10**400, 1e305], [-(10**400)]),
        ({"cidr": "10.0.0.0/24"}, ["10.0.0.255"], ["10.0.1.0", "10.0.0.256", 1]),
        ({"cidr": "2001:db8::/32"}, ["2001:db8:0:1::"], ["2001:db9::", "10.0.0.1"]),
        ({"exists": True}, ["x", None, ["x"]], [[], {"a": 1}]),
    ],
)
def test_conditions_on_a_body(condition: Any, good: list[Any], bad: list[Any]) -> None:
    assert all(accepted({"a": [condition]}, {"a": value}) for value in good)
    assert not any(accepted({"a": [condition]}, {"a": value}) for value in bad)
    assert not accepted({"a": [condition]}, {"b": "x"})


def test_absent_properties() -> None:
    policy = {"a": {"b": [{"exists": False}]}}
    bodies: list[Any] = [{}, {"a": {}}, {"a": []}, {"a": {"b": []}}]
    assert all(accepted(policy, body) for body in bodies)
    assert not accepted(policy, {"a": {"b": 1}})


def test_alternatives() -> None:
    policy = {
        "$or": [{"m": ["CPU"]}, {"n": ["EC2"]}],
        "d": {"scope": ["S"], "$or": [{"source": ["cw"]}, {"type": ["alarm"]}]},
    }
    assert accepted(policy, {"m": "CPU", "d": {"scope": "S", "type": "alarm"}})
    assert accepted(policy, {"n": "EC2", "d": {"scope": "S", "source": "cw"}})
    assert not accepted(policy, {"n": "EC2", "d": {"source": "cw"}})
    assert not accepted(policy, {"d": {"scope": "S", "source": "cw"}})
    # No alternatives: a property of this name.
    assert accepted({"$or": ["x"]}, {"$or": "x"})


@pytest.mark.parametrize("message", ["text", "[1]", '"x"', "[" * 100_000])
def test_bodies_that_are_no_objects(message: str) -> None:
    assert not accepts({"a": [{"exists": False}]}, IN_BODY, message, None)
    assert accepts({}, IN_BODY, message, None)


@pytest.mark.parametrize(
    ("kind", "value", "condition", "found"),
    [
        ("String", "x", "x", True),
        ("String", '["x"]', "x", False),
        ("String", "1", 1, False),
        ("String.Array", '["x", 2, null]', "x", True),
        ("String.Array", '["x", 2, null]', 2, True),
        ("String.Array", '["x", 2, null]', None, True),
        ("String.Array", '["x", "y"]', {"anything-but": ["x"]}, False),
        ("String.Array", '["y"]', {"anything-but": ["x"]}, True),
        ("String.Array", "[]", {"anything-but": ["x"]}, False),
        ("String.Array", "not JSON", "not JSON", True),
        ("Number", "1.50", 1.5, True),
        ("Number", "150", {"numeric": [">", 100]}, True),
        ("Number", "150", "150", False),
        ("Number", "1e999", {"numeric": [">", 1]}, True),
        ("Number", "1e305", 1, False),
        ("Number", "none", {"exists": True}, False),
        ("Binary", "eA==", {"exists": True}, False),
    ],
)
def test_attributes(kind: str, value: str, condition: Any, *, found: bool) -> None:
    attributes = {"a": {"Type": kind, "Value": value}}
    assert accepts({"a": [condition]}, IN_ATTRIBUTES, "m", attributes) is found
    assert not accepts({"b": [condition]}, IN_ATTRIBUTES, "m", attributes)
    assert accepts({"b": [{"exists": False}]}, IN_ATTRIBUTES, "m", attributes)
