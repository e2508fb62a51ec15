"""Differences of two specs."""

from __future__ import annotations

from typing import Any

from clusterwright.review.spec_diff import spec_changes


def paths(before: Any, after: Any) -> dict[str, tuple[Any, Any]]:
    return {c.path: (c.before, c.after) for c in spec_changes(before, after)}


def test_named_items_are_matched_by_name() -> None:
    one, two = {"name": "a", "count": 1}, {"name": "b", "count": 2}
    before = {"compute": [one, two]}
    assert paths(before, {"compute": [one, {**two, "count": 3}]}) == {"compute[b].count": (2, 3)}
    assert paths(before, {"compute": [two]}) == {"compute[a]": (one, None)}
    assert paths(before, {"compute": [two, one]}) == {"compute (order)": (["a", "b"], ["b", "a"])}


def test_empty_keys_of_one_platform_are_unchanged() -> None:
    assert paths({"a": {"ebs": None}}, {"a": {}}) == {}
    assert paths({"a": {}}, {"a": {"ebs": None, "labels": {}}}) == {"a.labels": (None, {})}


def test_changed_types_and_lists_of_scalars_are_compared() -> None:
    assert paths({"x": 1}, {"x": True}) == {"x": (1, True)}
    assert paths({"x": 1}, {"x": 1.0}) == {}
    assert paths({"x": ["a"]}, {"x": ["a", "b"]}) == {"x": (["a"], ["a", "b"])}
    assert paths({}, {"x": {"y": 1}}) == {"x": (None, {"y": 1})}
    assert paths({"x": [{"a": 1}]}, {"x": [{"a": 2}]}) == {"x[0].a": (1, 2)}
