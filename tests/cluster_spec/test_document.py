"""One file: its data, and the position of every key and value."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.cluster_spec.document import kind_of, parse_document, read_document

TEXT = """\
one: 1
two:
  three: [a, {four: "x y"}]
  five: |
    text
"""


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (("one",), (1, 6, 1)),
        (("two", "three"), (3, 10, 18)),
        (("two", "three", 0), (3, 11, 1)),
        (("two", "three", 1, "four"), (3, 21, 5)),
        (("two", "five"), (4, 9, 1)),
        (("two", "missing"), (2, 1, 3)),
        (("two", "three", 1, "missing"), (3, 14, 13)),
        (("missing",), (1, 1, 6)),
    ],
)
def test_values_have_a_position(path: tuple[str | int, ...], place: tuple[int, int, int]) -> None:
    position = parse_document(TEXT, "f").position(path)
    assert position is not None
    assert (position.line, position.column, position.length) == place


def test_keys_have_a_position() -> None:
    position = parse_document(TEXT, "f").position(("two", "three"), on_key=True)
    assert position is not None
    assert (position.line, position.column, position.length) == (3, 3, 5)
    assert position.source_line == '  three: [a, {four: "x y"}]'


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (None, "null"),
        (True, "a boolean"),
        (1, "an integer"),
        (1.5, "a number"),
        ("x", "a string"),
        ([], "a list"),
        ({}, "a mapping"),
        (set(), "set"),
    ],
)
def test_types_have_names(value: object, word: str) -> None:
    assert kind_of(value) == word


def test_path_can_be_str_or_path(tmp_path: Path) -> None:
    path = tmp_path / "odd name.txt"
    path.write_text("a: 1\n")
    document = read_document(str(path))
    assert (document.data, document.file) == ({"a": 1}, str(path))
    assert document == read_document(path)
