"""Reading one file: plain types, and the place of every key and value."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.spec.document import kind_of, parse_document
from clusterwright.spec.problems import SpecErrors


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-5", -5),
        ("+5", 5),
        ("0", 0),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1.", 1.0),
        ("1e3", 1000.0),
        ("true", True),
        ("False", False),
        ("yes", "yes"),
        ("on", "on"),
        ("~", None),
        ("null", None),
        ("", None),
        ("2027-01-31", "2027-01-31"),
        ("12:30:00", "12:30:00"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("1e999", "1e999"),
        (".nan", ".nan"),
        ("'1'", "1"),
        ('"true"', "true"),
        ('"\\ud83d\\ude80"', "🚀"),
        ("|\n  a\n  b\n", "a\nb\n"),
        (">\n  a\n  b\n", "a b\n"),
        ("[1, [a], {b: 2}]", [1, ["a"], {"b": 2}]),
        ("{}", {}),
    ],
)
def test_plain_types_are_those_of_yaml_1_2(text: str, value: Any) -> None:
    read = parse_document(f"key: {text}", "f").data["key"]
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 010", "010 begins with a zero"),
        ("a: " + "1" * 19, "is too large for a number"),
        ("a: &x 1", "anchors and aliases"),
        ("a: !x 1", "YAML tags are not allowed (`!x`)"),
        ('a: !!str "x"', "YAML tags"),
        ("a: !!map {b: 1}", "YAML tags"),
        ("a: !!seq [1]", "YAML tags"),
        ("? [a]\n: 1", "a key must be a word"),
        ("<<: {a: 1}", "merge keys"),
        ("a: 1\na: 2", "the key `a` is written twice"),
        ('a: "\\ud83d"', "half a character"),
        ('"\\ud83d": a', "half a character"),
    ],
)
def test_what_is_wrong_with_one_value_leaves_the_others(text: str, message: str) -> None:
    document = parse_document(text + "\nlast: 7\n", "f")
    assert document.data["last"] == 7
    (problem,) = document.problems
    assert message in problem.message
    assert problem.position is not None
    assert problem.position.file == "f"


@pytest.mark.parametrize(
    "text", ["", "# only a comment", "~", "5", "[a]", "a", "a: [", "a:\n\t- b"]
)
def test_what_is_no_mapping_is_no_document(text: str) -> None:
    with pytest.raises(SpecErrors) as refused:
        parse_document(text, "f")
    (problem,) = refused.value.problems
    assert problem.position is not None


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
def test_values_have_a_place(path: tuple[str | int, ...], place: tuple[int, int, int]) -> None:
    position = parse_document(TEXT, "f").position(path)
    assert position is not None
    assert (position.line, position.column, position.length) == place


def test_keys_have_a_place() -> None:
    position = parse_document(TEXT, "f").position(("two", "three"), on_key=True)
    assert position is not None
    assert (position.line, position.column, position.length) == (3, 3, 5)
    assert position.source_line == '  three: [a, {four: "x y"}]'


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (None, "empty"),
        (True, "true or false"),
        (1, "a whole number"),
        (1.5, "a number"),
        ("x", "a text"),
        ([], "a list"),
        ({}, "a mapping"),
        (set(), "set"),
    ],
)
def test_kinds_have_names(value: object, word: str) -> None:
    assert kind_of(value) == word
