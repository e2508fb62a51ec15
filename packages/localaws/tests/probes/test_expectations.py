"""Comparison of answers with expectations."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from clusterwright_localaws.probes.expectations import (
    UnknownName,
    described,
    filled,
    holds,
    unmet,
)

NAMES = {"vpc": "vpc-1", "count": 3, "answer": {"Items": [{"Id": "i-1"}]}}


def test_names_are_filled_in_everywhere() -> None:
    given = {"A": ["${vpc}", "x-${vpc}"], "B": "${count}", "C": "${answer.Items[0].Id}"}
    assert filled(given, NAMES) == {"A": ["vpc-1", "x-vpc-1"], "B": 3, "C": "i-1"}


def test_names_of_templates_are_left() -> None:
    assert filled("${AWS::StackName}-${Part}", NAMES) == "${AWS::StackName}-${Part}"


def test_optional_value_is_left_out() -> None:
    assert filled({"A": "${none?}", "B": "${vpc?}"}, NAMES) == {"B": "vpc-1"}


@pytest.mark.parametrize("given", ["${none}", "x${none}", "${answer.None}"])
def test_unknown_name(given: str) -> None:
    with pytest.raises(UnknownName):
        filled(given, NAMES)


@pytest.mark.parametrize(
    ("expected", "found", "is_met"),
    [
        ("${vpc}", "vpc-1", True),
        ("a", "b", False),
        (True, 1, True),
        ([], None, False),
        ({"equals": {"A": "${vpc}"}}, {"A": "vpc-1"}, True),
        ({"equals": {"A": "${vpc}"}}, {"A": "vpc-1", "B": 1}, False),
        ({"matches": "vpc-.*"}, "vpc-1", True),
        ({"matches": "vpc-"}, "vpc-1", False),
        ({"matches": "vpc.*"}, None, False),
        ({"any_of": ["a", "b"]}, "b", True),
        ({"any_of": ["a", "b"]}, "c", False),
        ({"contains": "p"}, "vpc", True),
        ({"contains": {"A": 1}}, [{"A": 1}, {"A": 2}], True),
        ({"contains": [1, 2]}, [1, 3], False),
        ({"contains": "p"}, None, False),
        ({"length": 2}, [1, 2], True),
        ({"length": 2}, None, False),
        ({"is": "absent"}, None, True),
        ({"is": "absent"}, "", False),
        ({"is": "present"}, "", True),
        ({"is": "present"}, None, False),
        ({"is": "string"}, 1, False),
        ({"is": "number"}, 1.5, True),
        ({"is": "number"}, True, False),
        ({"is": "list"}, [], True),
        ({"is": "map"}, {}, True),
        ({"is": "time"}, dt.datetime(2026, 1, 1, tzinfo=dt.UTC), True),
        ({"is": "time"}, "2026-01-01", False),
    ],
)
def test_holds(expected: Any, found: Any, is_met: bool) -> None:
    assert holds(expected, found, NAMES) is is_met


def test_values_are_no_expressions() -> None:
    names = {"one": "a.b"}
    assert holds({"matches": "${one}c"}, "a.bc", names)
    assert not holds({"matches": "${one}c"}, "axbc", names)


def test_unmet_names_path_and_values() -> None:
    expected = {"A.B": "x", "C": {"is": "absent"}, "D[].E": [1]}
    found = list(unmet(expected, {"A": {"B": "y"}, "C": 1, "D": [{"E": 1}]}, {}))
    assert found == [("A.B", "'x'", "y"), ("C", "absent", 1)]


def test_described() -> None:
    assert described({"any_of": ["a"]}, {}) == "any of ['a']"
    assert described({"equals": {"A": "${vpc}"}}, NAMES) == "{'A': 'vpc-1'}"
