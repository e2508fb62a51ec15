"""The benchmark alternates, reports medians, and never fails because a machine is slow."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import __main__ as bench
from benchmarks.compare import Comparison, Result, command, measure
from benchmarks.suite import comparisons, quick_comparisons
from benchmarks.table import as_json, as_text


def _timed(order: list[str], name: str, seconds: Iterator[float]) -> Comparison:
    def ours() -> float:
        order.append(name)
        return next(seconds)

    def beside() -> float:
        order.append("beside")
        return 2.0

    return Comparison(name, ours, beside, "the other", target_ratio=1.5, target_seconds=0.25)


def test_runs_alternate_after_a_warm_up() -> None:
    order: list[str] = []
    result = measure(_timed(order, "ours", iter([99.0, 1.0, 9.0, 3.0])), runs=3)
    assert order == ["beside", "ours"] * 4
    assert result.ours == (1.0, 9.0, 3.0)
    assert result.ours_seconds == 3.0
    assert result.ratio == 1.5


def test_table_and_json_show_medians_ratio_and_target() -> None:
    comparison = _timed([], "ours", iter([]))
    result = Result(comparison, ours=(1.0, 9.0, 3.0), beside=(2.0, 2.0, 2.0))
    text = as_text([result], "2 processors")
    assert text.splitlines() == [
        "2 processors",
        "",
        "what   median  beside      median   ratio         target  runs",
        "--------------------------------------------------------------",
        "ours  3.000 s  the other  2.000 s  1.50 x  1.5 x, 0.25 s     3",
    ]
    assert as_json([result], "2 processors") == {
        "schema_version": 1,
        "machine": "2 processors",
        "comparisons": [
            {
                "name": "ours",
                "unit": "s",
                "seconds": [1.0, 9.0, 3.0],
                "median_seconds": 3.0,
                "beside": "the other",
                "beside_seconds": [2.0, 2.0, 2.0],
                "beside_median_seconds": 2.0,
                "ratio": 1.5,
                "target_ratio": 1.5,
                "target_seconds": 0.25,
            }
        ],
    }


def test_failed_command_is_reported_with_its_last_output() -> None:
    failing = command("python", "-c", "print('so it is'); exit(4)")
    with pytest.raises(RuntimeError, match=r"exited with 4:\nso it is"):
        failing()


def test_failing_command_fails_the_benchmark_and_a_slow_one_does_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    slow = _timed([], "slow", iter([1000.0, 1000.0]))
    monkeypatch.setattr(bench, "comparisons", lambda folder: [slow])
    assert bench.main(["--runs", "1", "--json", str(tmp_path / "figures.json")]) == 0
    assert json.loads((tmp_path / "figures.json").read_text())["comparisons"][0]["ratio"] == 500.0
    broken = Comparison("broken", command("python", "-c", "exit(1)"), lambda: 1.0, "the other")
    monkeypatch.setattr(bench, "comparisons", lambda folder: [broken])
    assert bench.main(["--runs", "1"]) == 1
    assert "bench: broken: `python -c exit(1)` exited with 1" in capsys.readouterr().err


def test_each_result_is_printed_when_it_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    printed: list[str] = []

    def second() -> float:
        printed.append(capsys.readouterr().err)
        return 1.0

    first = _timed([], "first", iter([9.0, 3.0]))
    later = Comparison("later", second, second, "the other")
    monkeypatch.setattr(bench, "quick_comparisons", lambda folder: [first, later])
    assert bench.main(["--quick"]) == 0
    assert "bench: first: 3.000 s, the other 2.000 s, ratio 1.50 x\n" in printed[0]


def test_quick_leaves_out_what_deploys_or_boots(tmp_path: Path) -> None:
    quick = [comparison.name for comparison in quick_comparisons(tmp_path)]
    left_out = [c.name for c in comparisons(tmp_path) if c.name not in quick]
    assert set(quick) < {*quick, *left_out}
    for text in ("cdk deploy", "CreateCluster to all idle", "slurmctld", "pcluster"):
        assert not any(text in name for name in quick), text
        assert any(text in name for name in left_out), text


def test_start_up_synthesis_policies_and_deployment_are_compared(tmp_path: Path) -> None:
    names = [comparison.name for comparison in comparisons(tmp_path)]
    for text in ("--help", "check --offline", "app.py, prod", "cdk-nag", "validation", "deploy"):
        assert any(text in name for name in names), text
    assert len(set(names)) == len(names)
