"""Worked examples of the planner and the costs: each verdict agrees with its numbers."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.acceptance.planner_examples.instances_and_platforms import mlperf_learning_rate
from tests.acceptance.planner_examples.page import examples
from tests.acceptance.planner_examples.worked_example import WorkedExample

EXAMPLES = examples()


def of(verdict: str) -> list[WorkedExample]:
    return [example for example in EXAMPLES if example.verdict == verdict]


def test_all_examples_have_a_verdict() -> None:
    counts = Counter(example.verdict for example in EXAMPLES)
    assert counts == {"correct": 76, "incorrect": 36, "other method": 14, "incomplete": 5}
    assert len({example.id for example in EXAMPLES}) == 131


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.id)
def test_computed_result_is_exact(example: WorkedExample) -> None:
    assert example.values
    for value in (*example.values, *example.instead):
        assert value.is_exact, f"{value.what}: {value.computed} is not {value.exact}"


@pytest.mark.parametrize("example", of("correct"), ids=lambda example: example.id)
def test_correct_claim_follows_from_its_inputs(example: WorkedExample) -> None:
    for value in example.values:
        if value.claimed is not None:
            assert value.claim_follows, f"{value.what}: {value.claimed}, not {value.computed}"


@pytest.mark.parametrize("example", of("incorrect"), ids=lambda example: example.id)
def test_incorrect_claim_does_not_follow(example: WorkedExample) -> None:
    claimed = [value for value in example.values if value.claimed is not None]
    assert claimed
    assert not any(value.claim_follows for value in claimed)
    assert example.answer


@pytest.mark.parametrize("example", of("other method"), ids=lambda example: example.id)
def test_other_method_gives_another_result(example: WorkedExample) -> None:
    for value in example.values:
        if value.claimed is not None:
            assert value.claim_follows, f"{value.what}: {value.claimed}, not {value.computed}"
    assert example.answer
    assert example.instead
    first = example.values[0]
    assert any(abs(ours.computed / first.computed - 1) > 0.1 for ours in example.instead)


@pytest.mark.parametrize("example", of("incomplete"), ids=lambda example: example.id)
def test_incomplete_claim_names_the_missing_input(example: WorkedExample) -> None:
    assert example.answer
    assert all(value.claimed is None for value in example.values)


def test_the_learning_rate_rule_rejects_other_batches() -> None:
    with pytest.raises(ValueError, match="not allowed"):
        mlperf_learning_rate(1024)
