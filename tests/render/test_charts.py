"""Charts of a plan as SVG."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from clusterwright.render import charts
from clusterwright.sizing.report import Questions
from clusterwright.sizing.report_types import PlanReport
from tests.support.plan_reports import plan_report


@pytest.fixture(scope="module")
def report() -> PlanReport:
    return plan_report(Questions(charts=True), region="us-east-1")


@pytest.mark.parametrize("name", ["front", "memory", "goodput", "tornado"])
def test_a_chart_is_well_formed_and_loads_nothing(report: PlanReport, name: str) -> None:
    text = getattr(charts, name)(report)
    root = ElementTree.fromstring(text)
    assert [element.tag for element in root] == ["figcaption", "svg"]
    assert "<script" not in text
    assert not re.search(r"(href|src|url\()", text)


@pytest.mark.parametrize("name", ["front", "goodput"])
def test_without_data_there_is_no_chart(report: PlanReport, name: str) -> None:
    assert getattr(charts, name)(replace(report, charts=None)) == ""


def test_without_candidates_there_is_no_memory_chart(report: PlanReport) -> None:
    assert charts.memory(replace(report, plan=replace(report.plan, candidates=()))) == ""


def test_every_recovery_has_a_line(report: PlanReport) -> None:
    assert report.charts is not None
    names = report.charts.goodput[0].by_recovery
    text = charts.goodput(report)
    assert text.count("<polyline") == len(names)
    assert all(name in text for name in names)


def test_the_memory_chart_has_a_bar_for_each_candidate(report: PlanReport) -> None:
    shown = [c for c in report.plan.candidates if c.memory is not None][: charts.BARS_SHOWN]
    text = charts.memory(report)
    for candidate in shown:
        assert f"{candidate.nodes} x {candidate.hardware.name}" in text
