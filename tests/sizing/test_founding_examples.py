"""All 131 worked examples of the founding documents: each verdict is shown, not believed."""

from __future__ import annotations

from collections import Counter

import pytest

from tools.founding.__main__ import examples, main
from tools.founding.infrastructure import mlperf_learning_rate
from tools.founding.model import Example

EXAMPLES = examples()


def of(verdict: str) -> list[Example]:
    return [example for example in EXAMPLES if example.verdict == verdict]


def test_there_are_as_many_as_the_study_counts() -> None:
    counts = Counter(example.verdict for example in EXAMPLES)
    assert counts == {"ok": 76, "WRONG": 36, "METHOD": 14, "OPEN": 5}
    assert len({example.id for example in EXAMPLES}) == 131


def test_the_page_is_current() -> None:
    assert main(["--check"]) == 0, "run `python -m tools.founding`"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.id)
def test_our_result_is_the_exact_one(example: Example) -> None:
    assert example.values
    for value in (*example.values, *example.instead):
        assert value.right, f"{value.what}: {value.ours} is not {value.exact}"


@pytest.mark.parametrize("example", of("ok"), ids=lambda example: example.id)
def test_what_is_ok_follows(example: Example) -> None:
    for value in example.values:
        if value.stated is not None:
            assert value.stated_follows, f"{value.what}: {value.stated} against {value.ours}"


@pytest.mark.parametrize("example", of("WRONG"), ids=lambda example: example.id)
def test_what_is_wrong_does_not_follow(example: Example) -> None:
    stated = [value for value in example.values if value.stated is not None]
    assert stated
    assert not any(value.stated_follows for value in stated)
    assert example.rule


@pytest.mark.parametrize("example", of("METHOD"), ids=lambda example: example.id)
def test_where_the_method_is_refused_its_arithmetic_follows_and_ours_differs(
    example: Example,
) -> None:
    for value in example.values:
        if value.stated is not None:
            assert value.stated_follows, f"{value.what}: {value.stated} against {value.ours}"
    assert example.rule
    assert example.instead
    theirs = example.values[0]
    assert any(abs(ours.ours / theirs.ours - 1) > 0.1 for ours in example.instead)


@pytest.mark.parametrize("example", of("OPEN"), ids=lambda example: example.id)
def test_what_is_open_says_what_is_missing(example: Example) -> None:
    assert example.rule
    assert all(value.stated is None for value in example.values)


def test_the_rule_for_a_learning_rate_refuses_other_batches() -> None:
    with pytest.raises(ValueError, match="not allowed"):
        mlperf_learning_rate(1024)
