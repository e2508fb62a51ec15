"""Mutated specs: an answer in every case, never a traceback, and no duplicate message.

Every mutation goes through the command line as a user's file does.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clusterwright.cluster_spec import Problem, SpecErrors
from clusterwright.cluster_spec.document import Document
from clusterwright.cluster_spec.load import examine
from clusterwright.platforms.validators import validators_of
from tests.support.command_line import Answer, clusterwright
from tests.support.rich_specs import (
    AT_ONCE,
    BUILT,
    EXISTING,
    SCRIPTED,
    paths,
    renamed,
    value_at,
    with_value,
    without,
)

CONFIGS = Path(__file__).parents[2] / "configs"
BASES = {"built": BUILT, "existing": EXISTING, "scripted": SCRIPTED, "at_once": AT_ONCE}
PLACES = [(name, path) for name, base in BASES.items() for path in paths(base)]
KEYS = [(name, path) for name, path in PLACES if isinstance(path[-1], str)]
TEXTS = [path.read_text() for path in sorted(CONFIGS.rglob("*.yaml"))]
COMMANDS = [("expand",), ("check", "--offline")]

# With CLUSTERWRIGHT_FUZZ=1 every property is tested much longer, with new examples.
FACTOR = 25 if os.environ.get("CLUSTERWRIGHT_FUZZ") else 1

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=40),
    st.sampled_from(["", "0", "-1", "us-east-1", "10.0.0.0/16", "/", "/..", "a" * 5000, "\x00"]),
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3)
    ),
    max_leaves=6,
)


def run(text: str | bytes, command: tuple[str, ...] = ("expand",)) -> Answer:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "spec.yaml"
        path.write_bytes(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
        name, *options = command
        answer = clusterwright(name, "spec.yaml", *options, folder=Path(folder))
        assert sorted(p.name for p in Path(folder).iterdir()) == ["spec.yaml"]
    assert answer.exit_code in (0, 1, 2, 3), answer.err
    if answer.exit_code == 3:
        assert answer.out == ""
        assert answer.err.startswith("error: ")
    return answer


def problems(data: dict[str, Any]) -> list[Problem]:
    """The problems of the data, without a file."""
    try:
        examine((Document("spec.yaml", data, []),), validators=validators_of)
    except SpecErrors as errors:
        return list(errors) or [Problem("refused without a reason")]
    return []


def dumped(data: Any) -> str:
    return json.dumps(data, indent=1)


@pytest.mark.parametrize("name", BASES)
def test_mutated_specs_are_valid_at_first(name: str) -> None:
    assert run(dumped(BASES[name])).exit_code == 0


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@given(place=st.sampled_from(PLACES), value=values)
@settings(max_examples=40 * FACTOR)
def test_any_value_at_any_position_is_handled(
    command: tuple[str, ...], place: tuple[str, Any], value: Any
) -> None:
    name, path = place
    run(dumped(with_value(BASES[name], path, value)), command)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@given(data=st.data())
@settings(max_examples=40 * FACTOR)
def test_several_changes_at_once_are_handled(
    command: tuple[str, ...], data: st.DataObject
) -> None:
    spec = BASES[data.draw(st.sampled_from(sorted(BASES)))]
    for _ in range(data.draw(st.integers(2, 5))):
        path = data.draw(st.sampled_from(list(paths(spec))))
        change = data.draw(st.sampled_from(("value", "delete", "rename", "duplicate", "swap")))
        if change == "value":
            spec = with_value(spec, path, data.draw(values))
        elif change == "delete":
            spec = without(spec, path)
        elif change == "rename" and isinstance(path[-1], str):
            spec = renamed(spec, path, data.draw(st.text(max_size=8)))
        elif change == "duplicate" and isinstance(path[-1], int):
            spec = with_value(spec, path[:-1], [*value_at(spec, path[:-1]), value_at(spec, path)])
        elif change == "swap":
            other = data.draw(st.sampled_from(list(paths(spec))))
            spec = with_value(spec, path, value_at(spec, other))
    run(dumped(spec), command)


@pytest.mark.parametrize(("name", "path"), PLACES, ids=str)
def test_any_key_or_entry_can_be_missing(name: str, path: Any) -> None:
    for problem in problems(without(BASES[name], path)):
        assert problem.message != "refused without a reason"


WRONG_KIND = {dict: [1], list: {"x": 1}, str: [1], int: {"x": 1}, float: {"x": 1}, bool: [1]}


@pytest.mark.parametrize(("name", "path"), PLACES, ids=str)
def test_value_of_a_wrong_type_is_one_problem(name: str, path: Any) -> None:
    value = value_at(BASES[name], path)
    found = problems(with_value(BASES[name], path, WRONG_KIND[type(value)]))
    assert len(found) == 1, found


@pytest.mark.parametrize(
    ("name", "path"), [(n, p) for n, p in KEYS if p[0] != "tags" or len(p) == 1], ids=str
)
def test_misspelt_key_is_one_problem_with_a_suggestion(name: str, path: Any) -> None:
    (problem,) = problems(renamed(BASES[name], path, f"{path[-1]}z"))
    assert problem.message.endswith(f"unknown key `{path[-1]}z`")
    assert problem.hint == f"did you mean `{path[-1]}`?"


@given(place=st.sampled_from(PLACES), value=values)
@settings(max_examples=300 * FACTOR)
def test_any_value_at_any_position_is_validated(place: tuple[str, Any], value: Any) -> None:
    name, path = place
    for problem in problems(with_value(BASES[name], path, value)):
        assert problem.message != "refused without a reason"


@given(
    text=st.sampled_from(TEXTS),
    at=st.floats(0, 1, exclude_max=True),
    length=st.integers(0, 40),
    put=st.text(max_size=20)
    | st.sampled_from([": ", "- ", "\n", "\t", "&a ", "*a", "!!x ", "{", "\r"]),
)
@settings(max_examples=120 * FACTOR)
def test_any_substring_can_be_replaced(text: str, at: float, length: int, put: str) -> None:
    start = int(at * len(text))
    run(text[:start] + put + text[start + length :])


@given(text=st.sampled_from(TEXTS), data=st.data())
@settings(max_examples=60 * FACTOR)
def test_lines_can_be_moved_repeated_and_removed(text: str, data: st.DataObject) -> None:
    lines = text.splitlines(keepends=True)
    numbers = st.integers(0, len(lines) - 1)
    first, second = data.draw(numbers), data.draw(numbers)
    change = data.draw(st.sampled_from(("swap", "repeat", "drop", "indent")))
    if change == "swap":
        lines[first], lines[second] = lines[second], lines[first]
    elif change == "repeat":
        lines.insert(second, lines[first])
    elif change == "drop":
        del lines[first : second + 1]
    else:
        lines[first] = " " * (second % 5) + lines[first]
    run("".join(lines))


@given(
    content=st.binary(max_size=300)
    | st.text(max_size=300).map(lambda t: t.encode("utf-8", "replace"))
)
@settings(max_examples=150 * FACTOR)
def test_arbitrary_file_is_handled(content: bytes) -> None:
    assert run(content).exit_code == 3


@given(place=st.sampled_from(PLACES), value=values)
@settings(max_examples=40 * FACTOR)
def test_expanded_spec_expands_to_itself(place: tuple[str, Any], value: Any) -> None:
    name, path = place
    answer = run(dumped(with_value(BASES[name], path, value)))
    if answer.exit_code == 0:
        assert run(answer.out) == answer
