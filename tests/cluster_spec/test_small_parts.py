"""Problems, suggestions, descriptions: the small parts."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from clusterwright.cluster_spec.field_docs import docstrings
from clusterwright.cluster_spec.problems import Position, Problem, SpecErrors, overlap, path_text
from clusterwright.cluster_spec.suggest import closest, did_you_mean


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("a",), "a"),
        (("compute", 2, "count"), "compute[2].count"),
        ((0, "a"), "[0].a"),
    ],
)
def test_paths_are_written_as_people_do(path: tuple[str | int, ...], text: str) -> None:
    assert path_text(path) == text


def test_problems_come_in_the_order_of_the_file_and_once() -> None:
    later = Problem("later", ("b",), position=Position("f", 9, 1))
    sooner = Problem("sooner", ("a",), position=Position("f", 2, 5))
    nowhere = Problem("nowhere")
    errors = SpecErrors([later, sooner, later, nowhere])
    assert list(errors) == [nowhere, sooner, later]
    assert str(errors) == "nowhere\nf:2:5: sooner\nf:9:1: later"


def test_a_problem_says_its_note_and_its_hint() -> None:
    problem = Problem("wrong", hint="mend it", note="see there").at(Position("f", 1, 2))
    assert str(problem) == "f:1:2: wrong (see there)\n  hint: mend it"


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (("a",), ("a", "b"), True),
        (("a", "b"), ("a",), True),
        (("a", "b"), ("a", "c"), False),
        (("a",), ("a",), True),
    ],
)
def test_overlap(one: tuple[str, ...], other: tuple[str, ...], expected: bool) -> None:
    assert overlap(one, other) is expected


def test_the_nearest_name_comes_first() -> None:
    assert closest("compte", ["compute", "computer", "network"], count=1) == ["compute"]
    assert closest("COMPUTE", ["compute"]) == ["compute"]
    assert did_you_mean("x", ["compute"]) is None
    assert did_you_mean("netwrk", ["network"]) == "did you mean `network`?"


def test_a_long_text_is_no_reason_to_think_for_long() -> None:
    import time

    started = time.monotonic()
    assert closest("x" * 1_000_000, ["y" * 50] * 50) == []
    assert time.monotonic() - started < 5


class Explained(BaseModel):
    first: int
    """What the first
    is."""

    second: int = 2
    """Second."""


class Unexplained(BaseModel):
    first: int
    """Known."""

    second: int


def test_docstrings_are_read_from_below_the_fields() -> None:
    assert docstrings(Explained) == {"first": "What the first is.", "second": "Second."}


def test_a_field_without_a_docstring_is_named() -> None:
    with pytest.raises(LookupError, match="Unexplained: no docstring below second"):
        docstrings(Unexplained)
