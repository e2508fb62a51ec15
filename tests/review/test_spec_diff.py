"""Differences of two specs."""

from __future__ import annotations

from typing import Any

from clusterwright.review.spec_diff import spec_changes


def paths(before: Any, after: Any) -> dict[str, tuple[Any, Any]]:
    return {c.path: (c.before, c.after) for c in spec_changes(before, after)}


def test_items_with_names_are_matched_by_name() -> None:
    one, two = {"name": "a", "count": 1}, {"name": "b", "count": 2}
    before = {"compute": [one, two]}
    assert paths(before, {"compute": [one, {**two, "count": 3}]}) == {"compute[b].count": (2, 3)}
    assert paths(before, {"compute": [two]}) == {"compute[a]": (one, None)}
    assert paths(before, {"compute": [two, one]}) == {"compute (order)": (["a", "b"], ["b", "a"])}


def test_keys_that_one_platform_lacks_and_that_say_nothing_are_no_change() -> None:
    assert paths({"a": {"ebs": None}}, {"a": {}}) == {}
    assert paths({"a": {}}, {"a": {"ebs": None, "labels": {}}}) == {"a.labels": (None, {})}


def test_values_of_another_kind_and_lists_of_scalars() -> None:
    assert paths({"x": 1}, {"x": True}) == {"x": (1, True)}
    assert paths({"x": 1}, {"x": 1.0}) == {}
    assert paths({"x": ["a"]}, {"x": ["a", "b"]}) == {"x": (["a"], ["a", "b"])}
    assert paths({}, {"x": {"y": 1}}) == {"x": (None, {"y": 1})}
    assert paths({"x": [{"a": 1}]}, {"x": [{"a": 2}]}) == {"x[0].a": (1, 2)}
