"""Layers: mappings are merged, other values are replaced, null removes."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.document import parse_document
from clusterwright.cluster_spec.layering import Layers, lay, without_nulls


def layers(below: str, above: str) -> Layers:
    return lay((parse_document(below, "base.yaml"), parse_document(above, "dev.yaml")))


@pytest.mark.parametrize(
    ("below", "above", "expected"),
    [
        ("a: 1", "b: 2", {"a": 1, "b": 2}),
        ("a: 1", "a: 2", {"a": 2}),
        ("a: {b: 1, c: 2}", "a: {c: 3}", {"a": {"b": 1, "c": 3}}),
        ("a: [1, 2]", "a: [3]", {"a": [3]}),
        ("a: [{b: 1}]", "a: [{c: 2}]", {"a": [{"c": 2}]}),
        ("a: 1\nb: 2", "a: null", {"b": 2}),
        ("a: {b: 1, c: 2}", "a: {b: null}", {"a": {"c": 2}}),
        ("a: {b: {c: 1}}", "a: {b: null}", {"a": {}}),
        ("a: text", "a: [list]", {"a": ["list"]}),
        ("a: null", "b: 1", {"b": 1}),
        ("a: [{b: null, c: 1}, null]", "d: 1", {"a": [{"c": 1}, None], "d": 1}),
    ],
)
def test_mappings_are_merged(below: str, above: str, expected: dict[str, Any]) -> None:
    assert layers(below, above).data == expected


@pytest.mark.parametrize(
    ("below", "above"), [("a: {b: 1}", "a: 5"), ("a: 5", "a: {b: 1}"), ("a: {b: 1}", "a: [1]")]
)
def test_mapping_and_scalar_conflict(below: str, above: str) -> None:
    result = layers(below, above)
    (problem,) = result.problems
    assert problem.path == ("a",)
    assert problem.position is not None
    assert problem.position.file == "dev.yaml"
    assert problem.note == "the other is at base.yaml:1"


def test_base_value_is_kept_on_conflict() -> None:
    assert layers("a: {b: 1}", "a: 5").data == {"a": {"b": 1}}


def test_positions_are_those_of_the_effective_value() -> None:
    result = layers("a: {b: 1,\n  c: 2}\nd: 4\n", "\n\na:\n  c: 3\n")
    places = {}
    for path in (("a", "b"), ("a", "c"), ("d",)):
        position = result.position(path)
        assert position is not None
        places[path] = (position.file, position.line, position.column)
    assert places == {
        ("a", "b"): ("base.yaml", 1, 8),
        ("a", "c"): ("dev.yaml", 4, 6),
        ("d",): ("base.yaml", 3, 4),
    }


def test_missing_value_has_the_position_of_its_parent() -> None:
    result = layers("x: 1", "a:\n  b: 1\n")
    position = result.position(("a", "nothing"))
    assert position is not None
    assert (position.file, position.line, position.column) == ("dev.yaml", 1, 1)
    assert result.written(("a", "nothing")) is None


def test_positions_of_a_replaced_list_are_removed() -> None:
    result = layers("a: [1, 2, 3]", "a: [9]")
    assert result.written(("a", 0)) is not None
    assert result.written(("a", 1)) is None


def test_key_without_a_value_has_a_position() -> None:
    result = layers("a: 1", "b:\n")
    empty = result.empty_key(("b",))
    assert empty is not None
    assert (empty.file, empty.line) == ("dev.yaml", 1)
    assert result.empty_key(("c",)) is None


def test_nulls_are_removed_at_every_depth_except_in_lists() -> None:
    assert without_nulls({"a": None, "b": [None, {"c": None, "d": [{}]}]}) == {
        "b": [None, {"d": [{}]}]
    }
