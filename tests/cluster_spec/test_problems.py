"""Problems of a spec and their positions."""

from __future__ import annotations

import pytest

from clusterwright.cluster_spec.problems import Position, Problem, SpecErrors, overlap, path_text


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("a",), "a"),
        (("compute", 2, "count"), "compute[2].count"),
        ((0, "a"), "[0].a"),
    ],
)
def test_paths_are_formatted(path: tuple[str | int, ...], text: str) -> None:
    assert path_text(path) == text


def test_problems_are_sorted_without_duplicates() -> None:
    later = Problem("later", ("b",), position=Position("f", 9, 1))
    sooner = Problem("sooner", ("a",), position=Position("f", 2, 5))
    nowhere = Problem("nowhere")
    errors = SpecErrors([later, sooner, later, nowhere])
    assert list(errors) == [nowhere, sooner, later]
    assert str(errors) == "nowhere\nf:2:5: sooner\nf:9:1: later"


def test_number_and_length_of_problems_are_bounded() -> None:
    many = [Problem(f"wrong {i}", position=Position("f", i + 1, 1)) for i in range(20_000)]
    errors = list(SpecErrors(reversed(many)))
    assert len(errors) == 101
    assert errors[:100] == many[:100]
    assert str(errors[100]) == (
        "f:101:1: and 19,900 more problems\n  hint: correct the first ones, then run it again"
    )
    assert list(SpecErrors(many[:101])) == many[:101]
    (long,) = SpecErrors([Problem("x" * 5000)])
    assert long.message == "x" * 1000 + "..."


def test_problem_has_a_note_and_a_hint() -> None:
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
