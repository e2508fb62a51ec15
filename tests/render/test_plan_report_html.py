"""The planner's report in a real browser: no external resources, readable charts."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.render.plan_report_html import plan_report_html
from clusterwright.sizing.goal import parse
from clusterwright.sizing.report import Questions, build_report
from clusterwright.sizing.report_types import PlanReport
from tests.support.browser import look
from tools.setup import browser

DAY = dt.date(2026, 11, 20)

in_a_browser = pytest.mark.skipif(
    not browser.can_run(), reason="the browser is built for Linux on x86-64"
)


def _plan_report(**goal: object) -> PlanReport:
    return build_report(
        parse({"model": "llama3-70b", "tokens": "15T", "deadline": "90d", **goal}),
        load_catalog(),
        today=DAY,
        questions=Questions(ramp_steps=(8, 64), inference_tokens=1e14, charts=True),
    )


@pytest.fixture(scope="module")
def priced() -> str:
    return plan_report_html(_plan_report(region="us-east-1"))


def test_output_is_deterministic_for_a_goal(priced: str) -> None:
    assert plan_report_html(_plan_report(region="us-east-1")) == priced


def test_page_is_one_file_without_external_resources(priced: str) -> None:
    assert "default-src 'none'" in priced
    for word in ("<script", "src=", "@import", "url(", "http://", "<link"):
        assert word not in priced


def test_names_are_escaped() -> None:
    text = plan_report_html(
        build_report(
            parse(
                {
                    "params": "70B",
                    "tokens": "1T",
                    "cluster": {"instance_type": "p5.48xlarge", "nodes": 8},
                }
            ),
            load_catalog(),
            today=DAY,
        )
    )
    assert "<script" not in text
    # Without requested charts, only those without a sweep are drawn.
    assert "Days and dollars" not in text


def test_a_manager_reads_summary_options_risks_and_next_steps_first(priced: str) -> None:
    headings = re.findall(r"<h2>(.*?)</h2>", priced)
    assert headings[:5] == [
        "What to decide",
        "Options",
        "Risks",
        "What to do next",
        "Estimate",
    ]
    assert headings[-1] == "For the engineers"
    assert priced.index('class="facts"') < priced.index("<h2>")


def test_sections_are_tables_and_text_not_terminal_output(priced: str) -> None:
    folded = re.sub(r"<details>.*?</details>", "", priced, flags=re.DOTALL)
    assert "<pre>" not in folded
    assert folded.count("<table>") >= 6


@pytest.mark.parametrize("goal", [{}, {"region": "us-east-1"}, {"region": "us-west-2"}], ids=str)
def test_no_character_is_replaced(goal: dict[str, object]) -> None:
    assert "\N{REPLACEMENT CHARACTER}" not in plan_report_html(_plan_report(**goal))


def test_settings_are_those_of_the_recommended_framework() -> None:
    cluster = {"instance_type": "p5.48xlarge", "nodes": 8}
    report = build_report(
        parse({"model": "llama3-8b", "tokens": "1T", "cluster": cluster}),
        load_catalog(),
        today=DAY,
    )
    layout = report.plan.chosen.layout
    assert layout is not None
    assert layout.sharding == "fsdp"
    page = plan_report_html(report)
    assert page.index("Settings for torchtitan") < page.index("Settings for Megatron-LM")
    assert f"data_parallel_shard_degree = {layout.data}\n" in page


def test_the_interval_of_the_cost_is_the_same_everywhere(priced: str) -> None:
    report = _plan_report(region="us-east-1")
    usd = report.plan.estimate.usd
    assert usd is not None
    p90 = f"{usd.p90:,.0f}"
    assert priced.count(f">{p90}<") == 2, "the estimate and the cost"


@in_a_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_legible_in_light_and_dark(priced: str, tmp_path: Path, scheme: str) -> None:
    page = tmp_path / "plan.html"
    page.write_text(priced)
    seen = look(page, tmp_path / "plan.png", scheme=scheme).seen
    background = _luminance(seen["background"])
    assert (background < 0.1) == (scheme == "dark")
    for ink in (seen["ink"], *seen["chart_ink"]):
        low, high = sorted((background, _luminance(ink)))
        # WCAG 2.2, success criterion 1.4.6.
        assert (high + 0.05) / (low + 0.05) >= 7


def _luminance(colour: str) -> float:
    """Relative luminance of `rgb(r, g, b)`, as WCAG 2.2 defines it."""
    shares = [int(value) / 255 for value in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@in_a_browser
@pytest.mark.parametrize("width", [1000, 420])
def test_every_chart_has_a_text_alternative(priced: str, tmp_path: Path, width: int) -> None:
    page = tmp_path / "plan.html"
    page.write_text(priced)
    found = look(page, tmp_path / "plan.png", width=width)
    assert found.complaints == []
    assert not found.seen["wider"]
    assert found.seen["scripts"] == 0
    titles = [chart["title"] for chart in found.seen["charts"]]
    assert len(titles) == 5
    assert titles[0] == "Days and dollars of every cluster with a known price"
    assert any(title.startswith("One run of ") for title in titles)
    for chart in found.seen["charts"]:
        assert chart["marks"] >= 3, chart["title"]
        assert chart["outside"] == [], chart["title"]
        assert chart["overlapping"] == [], chart["title"]
    assert found.picture.stat().st_size > 20_000


@in_a_browser
def test_missing_prices_are_reported_instead_of_drawn(tmp_path: Path) -> None:
    page = tmp_path / "plan.html"
    page.write_text(plan_report_html(_plan_report(region="sa-east-1")))
    found = look(page, tmp_path / "plan.png")
    assert found.complaints == []
    assert len(found.seen["charts"]) == 4
    assert "fewer than two clusters have a known price in sa-east-1" in page.read_text()
