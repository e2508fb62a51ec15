"""The reference page of the planner matches its data."""

from __future__ import annotations

from tools.docs.planner_page import page


def test_page_has_every_benchmark_and_assumption_with_its_source() -> None:
    text = page()
    for words in ("Megatron-Bridge", "torchtitan", "`practice`", "`failures`", "`deepseek-v3`"):
        assert words in text
    assert "| |" not in text.replace("| | |", "")
