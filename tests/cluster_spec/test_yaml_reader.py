"""Reading text: scalar types, and refused values that do not affect others."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.document import parse_document
from clusterwright.cluster_spec.problems import SpecErrors
from clusterwright.cluster_spec.yaml_reader import (
    LONGEST_KEY,
    MAXIMUM_DEPTH,
    MAXIMUM_EVENTS,
    MAXIMUM_PROBLEMS,
)


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
def test_scalars_are_those_of_yaml_1_2(text: str, value: Any) -> None:
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
        ("? [a]\n: 1", "a key must be a string"),
        ("<<: {a: 1}", "merge keys"),
        ("a: 1\na: 2", "duplicate key `a`"),
        ('a: "\\ud83d"', "half a character"),
        ('"\\ud83d": a', "half a character"),
    ],
)
def test_error_in_one_value_keeps_the_others(text: str, message: str) -> None:
    document = parse_document(text + "\nlast: 7\n", "f")
    assert document.data["last"] == 7
    (problem,) = document.problems
    assert message in problem.message
    assert problem.position is not None
    assert problem.position.file == "f"


@pytest.mark.parametrize(
    "text", ["", "# only a comment", "~", "5", "[a]", "a", "a: [", "a:\n\t- b"]
)
def test_document_must_be_a_mapping(text: str) -> None:
    with pytest.raises(SpecErrors) as refused:
        parse_document(text, "f")
    (problem,) = refused.value.problems
    assert problem.position is not None


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "[" * 100_000,
        "a: " + "{a: " * 100_000,
        "- " * 100_000,
        "a: &x " + "[" * 100_000,
        "a:\n" + "".join(" " * i + "b:\n" for i in range(1, 300)),
        "? " * 100_000,
    ],
    ids=["lists", "mappings", "block", "refused", "indented", "keys"],
)
def test_deeply_nested_file_is_refused_fast(text: str) -> None:
    with pytest.raises(SpecErrors) as refused:
        parse_document(text, "f")
    last = refused.value.problems[-1]
    assert f"nested more than {MAXIMUM_DEPTH} levels deep" in last.message


def test_maximum_depth_is_accepted() -> None:
    levels = MAXIMUM_DEPTH - 1
    assert parse_document("a: " + "[" * levels + "]" * levels, "f").problems == []


def test_errors_before_an_early_end_are_reported() -> None:
    with pytest.raises(SpecErrors) as refused:
        parse_document("a: &x 1\nb: [", "f")
    assert [p.message.split(":")[0] for p in refused.value] == [
        "anchors and aliases are not allowed",
        "not valid YAML",
    ]


@pytest.mark.parametrize("refused", ["&x", "!x"])
def test_refused_constructs_are_skipped(refused: str) -> None:
    document = parse_document(f"a: {refused} {{b: [1, {{c: 2}}]}}\nd: [1, {refused}2 [2], 3]", "f")
    assert document.data == {"a": None, "d": [1, None, 3]}
    assert len(document.problems) == 2


def test_anchor_and_its_aliases_are_one_problem() -> None:
    text = "a: &x {b: 1}\nc: *x\nd: [*x, *x]\ne: {<<: *x}\n"
    document = parse_document(text, "f.yaml")
    anchor, merge = document.problems
    assert (anchor.path, anchor.note) == (("a",), "also at line 2, 3")
    assert merge.path == ("e", "<<")
    assert document.skipped == [("c",), ("d", 0), ("d", 1)]
    assert document.incomplete == [("e",)]


def test_reading_stops_at_the_maximum_number_of_problems() -> None:
    with pytest.raises(SpecErrors) as caught:
        parse_document("a: 1\n" * 20_000, "f.yaml")
    problems = caught.value.problems
    assert len(problems) == MAXIMUM_PROBLEMS + 1
    assert problems[-1].message == "the file has 100 problems up to here; the rest is not read"
    assert problems[-1].position is not None
    assert problems[-1].position.line == 101


def test_reading_stops_at_the_maximum_number_of_values() -> None:
    # The ends and beginnings of the stream, the document, the mapping and the list are events too.
    items = MAXIMUM_EVENTS - 9
    with pytest.raises(SpecErrors) as caught:
        parse_document(f"a: [{'1, ' * (items + 1)}]", "f")
    assert [p.message for p in caught.value] == [
        "the file has more than 40,000 keys and values; the rest is not read"
    ]
    assert parse_document(f"a: [{'1, ' * items}]", "f").data == {"a": [1] * items}


def test_long_keys_are_refused_without_repeating_them() -> None:
    key = "k" * (LONGEST_KEY + 1)
    document = parse_document(f"? {key}\n: 1\nb: 2\n", "f")
    assert [p.message for p in document.problems] == ["a key must have at most 1,024 characters"]
    assert document.data == {"b": 2}
