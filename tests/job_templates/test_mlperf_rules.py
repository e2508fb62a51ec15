"""MLPerf's rules against the package that judges submissions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from clusterwright.job_templates.mlperf_rules import (
    ALL,
    GPT3,
    LLAMA31_8B,
    LLAMA31_405B,
    Benchmark,
    RuleError,
    expected,
    learning_rate,
)
from tests.job_templates.mlperf_judge import rules_of

BENCHMARKS = pytest.mark.parametrize("benchmark", ALL, ids=lambda one: str(one.name))


def _records(benchmark: Benchmark) -> Iterator[dict[str, object]]:
    name = f"rcp_checker/training_{benchmark.ruleset}/rcps_{benchmark.name}.json"
    yield from json.loads(rules_of(name).read_text(encoding="utf-8")).values()


@BENCHMARKS
def test_convergence_points_are_those_of_the_checker(benchmark: Benchmark) -> None:
    unit = benchmark.seq_len if benchmark is GPT3 else 1
    found = {}
    for record in _records(benchmark):
        runs, batch, hyper = record["Epochs to converge"], record["BS"], record["Hyperparams"]
        assert isinstance(runs, list)
        assert isinstance(batch, int)
        assert isinstance(hyper, dict)
        found[batch] = tuple(sorted(run // unit for run in runs))
        point = benchmark.points[batch]
        assert point.learning_rate == hyper["opt_base_learning_rate"]
        if point.warmup is not None:
            assert point.warmup == -(-hyper["opt_learning_rate_warmup_samples"] // batch)
    assert found == {batch: point.samples for batch, point in benchmark.points.items()}


@BENCHMARKS
def test_runs_of_a_submission_are_those_of_the_checker(benchmark: Benchmark) -> None:
    text = rules_of("rcp_checker/rcp_checker.py").read_text(encoding="utf-8")
    assert f"'{benchmark.name}': {benchmark.runs}," in text


@BENCHMARKS
def test_target_and_sizes_are_those_of_the_checker(benchmark: Benchmark) -> None:
    name = f"compliance_checker/training_{benchmark.ruleset}/closed_{benchmark.name}.yaml"
    text = rules_of(name).read_text(encoding="utf-8")
    assert f"(v['value'] <= {benchmark.target:g})" in text
    assert f" v['value'] == {benchmark.seq_len} " in text
    if benchmark.eval_samples is not None:
        assert f" v['value'] == {benchmark.eval_samples} " in text


def test_the_newest_ruleset_has_no_405b() -> None:
    """The reason why the ruleset is pinned."""
    folder: Path = rules_of("compliance_checker/training_6.1.0")
    assert not (folder / "closed_llama31_405b.yaml").exists()
    assert (folder / "closed_llama31_8b.yaml").exists()


@pytest.mark.parametrize(
    ("benchmark", "batch", "rate"),
    [
        (GPT3, 1536, 2e-5),
        (GPT3, 4096, 3e-5),
        (LLAMA31_405B, 1152, 8e-5),
        (LLAMA31_405B, 1728, 12e-5),
        (LLAMA31_405B, 9216, 64e-5),
        (LLAMA31_8B, 32, 8e-4),
    ],
)
def test_legal_batches_have_their_learning_rate(
    benchmark: Benchmark, batch: int, rate: float
) -> None:
    assert learning_rate(benchmark, batch, None) == rate
    assert learning_rate(benchmark, batch, rate) == rate


@pytest.mark.parametrize(
    ("benchmark", "batch", "stated", "message"),
    [
        (GPT3, 1024, None, "1024 is not one of gpt3's rules"),
        (GPT3, 1536, 3e-5, "3e-05, and that of batch 1536 is 2e-05"),
        (LLAMA31_405B, 1151, None, "rules for 1152 to 9216"),
        (LLAMA31_405B, 9217, None, "rules for 1152 to 9216"),
        (LLAMA31_405B, 1153, None, "is not what the checker of ruleset 6.0.0 expects"),
        (LLAMA31_8B, 40, None, "is not stated, and no reference convergence point has it"),
    ],
)
def test_what_the_rules_do_not_allow(
    benchmark: Benchmark, batch: int, stated: float | None, message: str
) -> None:
    with pytest.raises(RuleError, match=message):
        learning_rate(benchmark, batch, stated)


def test_a_free_learning_rate() -> None:
    assert learning_rate(LLAMA31_8B, 40, 1e-3) == 1e-3


def test_sequences_between_two_points_are_interpolated() -> None:
    assert expected(LLAMA31_405B, 1152) == (294912, 313344, 331776)
    found = expected(LLAMA31_405B, 1728)
    assert found == ((294912 + 350208) / 2, (313344 + 368640) / 2, (331776 + 387072) / 2)
    assert expected(LLAMA31_405B, 9216) is None
    assert expected(LLAMA31_8B, 8) is None


def test_the_slip_in_the_points_of_gpt3_is_no_mean() -> None:
    found = expected(GPT3, 3072)
    assert found is not None
    assert found[1] < 650_000 < found[2]
