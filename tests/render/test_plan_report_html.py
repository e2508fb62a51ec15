"""The planner's report in a real browser: no external resources, readable charts."""

from __future__ import annotations

import datetime as dt
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
    page.write_text(plan_report_html(_plan_report(region="us-west-2")))
    found = look(page, tmp_path / "plan.png")
    assert found.complaints == []
    assert len(found.seen["charts"]) == 4
    assert "fewer than two clusters have a known price in us-west-2" in page.read_text()
