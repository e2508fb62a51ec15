"""A plan as text on one screen."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.render.plan_options import options
from clusterwright.render.plan_report import plan_report_text
from clusterwright.render.plan_summary import WIDTH, note_lines, option_lines, within_width
from clusterwright.render.style import PLAIN
from clusterwright.sizing.report import Questions
from tests.support.plan_reports import plan_report

SCREEN = 50
"""Lines of a terminal on a usual monitor."""
GOALS: list[dict[str, Any]] = [
    {"region": "us-east-1"},
    {},
    {"model": "deepseek-v3", "region": "us-west-2"},
    {"cluster": {"instance_type": "p5.48xlarge", "nodes": 256}},
    {"cluster": {"accelerator": "H800"}, "model": "deepseek-v3", "precision": "fp8"},
]


@pytest.mark.parametrize("goal", GOALS, ids=str)
def test_the_default_output_fits_one_screen(goal: dict[str, Any]) -> None:
    lines = plan_report_text(plan_report(**goal)).splitlines()
    assert max(len(line) for line in lines) <= WIDTH
    assert len(lines) <= SCREEN


@pytest.mark.parametrize("goal", GOALS[:2], ids=str)
def test_details_fit_the_width_too(goal: dict[str, Any]) -> None:
    report = plan_report(Questions(ramp_steps=(8, 64), inference_tokens=1e14), **goal)
    text = plan_report_text(report, details=True, every=True, explain=True)
    assert [line for line in text.splitlines() if len(line) > WIDTH] == []
    for title in ("chosen layout", "storage", "failures", "required quotas", "ramp"):
        assert f"\n\n{title}\n" in text
    assert "EFA off" in text


def test_five_options_are_shown_and_the_others_counted() -> None:
    report = plan_report(region="us-east-1")
    found = options(report)
    short = option_lines(report, every=False)
    names = [row.name for row in found]
    assert [name for name in names if any(f" {name} " in line for line in short)] == names[:5]
    assert f"and {len(names) - 5} more" in short[-1]
    full = "\n".join(option_lines(report, every=True))
    assert all(f" {name} " in full for name in names)
    assert "impossible: trn2.48xlarge" in full


def test_requested_questions_are_answered_without_details() -> None:
    report = plan_report(Questions(ramp_steps=(8, 64)), region="us-east-1")
    assert "\n\nramp\n" in plan_report_text(report)
    assert "EFA off" not in plan_report_text(report)


def test_notes_are_shortened_and_the_others_counted() -> None:
    report = plan_report(cluster={"accelerator": "H800"}, model="deepseek-v3", precision="fp8")
    full = note_lines(report, PLAIN, shorten=False)
    short = note_lines(report, PLAIN, shorten=True)
    assert len(short) < len(full)
    assert short[0].startswith("  - number of accelerators not given")
    assert not any("- assumed:" in line for line in short[:4])
    assert "--details" in short[-1]


def test_only_long_lines_are_broken() -> None:
    table = "  a    b" + " " * 40 + "c"
    long = "    " + "word " * 30
    found = within_width([table, long])
    assert found[0] == table
    assert all(line.startswith("    ") and len(line) <= WIDTH for line in found[1:])
    assert " ".join(" ".join(found[1:]).split()) == long.strip()
