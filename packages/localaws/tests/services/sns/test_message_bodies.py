"""Tests of services.sns.message_bodies."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from clusterwright_localaws.services.sns import message_bodies
from clusterwright_localaws.services.sns.filter_policies import IN_BODY, accepts
from clusterwright_localaws.services.sns.message_bodies import TooManyStepsError


def accepted(policy: Any, body: Any) -> bool:
    return accepts(policy, IN_BODY, json.dumps(body), None)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ({"a": {"b": {"c": "x"}}}, True),
        ({"a.b.c": "x"}, True),
        ({"a.b": {"c": "x"}}, True),
        ({"a": {"b.c": "x"}}, True),
        ({"a": {"b": {"c": "y"}}, "a.b": {"c": "x"}}, True),
        ({"a": {"b": {"c": "y"}}}, False),
        ({"a": "x"}, False),
    ],
)
def test_names_with_dots(body: Any, *, found: bool) -> None:
    assert accepted({"a.b.c": ["x"]}, body) is found
    assert accepted({"a": {"b.c": ["x"]}}, body) is found


def test_one_element_of_an_array_has_all_that_is_wanted() -> None:
    policy = {"r": {"k": [{"prefix": "auto-"}], "n": ["made"]}}
    assert accepted(policy, {"r": [[{"k": "auto-1", "n": "made"}], {"k": "x", "n": "gone"}]})
    assert not accepted(policy, {"r": [{"k": "auto-1", "n": "gone"}, {"k": "x", "n": "made"}]})


def test_names_with_dots_that_share_an_array() -> None:
    policy = {"a.b.c": ["x"], "a.b.d": ["y"]}
    x, y = {"c": "x"}, {"d": "y"}
    assert accepted(policy, {"a.b": [x, x | y]})
    assert not accepted(policy, {"a.b": [x, y]})
    # One name in each of two arrays, with elements that have one of them.
    assert accepted(policy, {"a.b": [x, y], "a": {"b": [x]}})
    assert accepted(policy, {"a.b": [x, y], "a": {"b": [y]}})
    assert not accepted(policy, {"a.b": [x, {}], "a": {"b": [x]}})


def nested(depth: int) -> Any:
    """An object that can be read in many ways as a name of parts `a`, and has no such property."""
    return {"a": nested(depth - 1), "a.a": nested(depth - 2)} if depth > 1 else {"a": "y"}


def test_the_ways_to_read_names_are_not_multiplied() -> None:
    """Five names, each of which can be read in a thousand ways: it would take years."""
    names = [".".join(["a"] * 20) + str(number) for number in range(5)]
    assert not accepted({name: ["x"] for name in names}, nested(15))


def test_more_steps_than_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_bodies, "_MOST_STEPS", 5_000)
    names = "abcdefghijkl"
    elements = [dict.fromkeys(pair, "x") for pair in itertools.combinations(names, 2)]
    policy = {f"a.b.{name}": ["x"] for name in names}
    with pytest.raises(TooManyStepsError):
        accepted(policy, {"a": {"b": elements}, "a.b": elements})
    # There is one way to read these names.
    assert not accepted(policy, {"a": {"b": elements}})
