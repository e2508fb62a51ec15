"""The report of a run as one HTML document."""

from __future__ import annotations

import re

from clusterwright.goodput.attempts import NamedLog
from clusterwright.job_logs import read_log
from clusterwright.render.goodput_html import goodput_html
from tests.support.goodput_reports import report


def test_timeline_has_every_span() -> None:
    found = report()
    page = goodput_html(found)
    titles = re.findall(r"<title>(\w+), [^<]*attempt \d+</title>", page)
    assert set(titles) == {span.part for span in found.spans}
    assert "Goodput of llama3" in page
    assert "<script" not in page
    assert "Timeline, a row is 00:05:00" in page


def test_bars_of_a_row_stay_in_the_plot() -> None:
    page = goodput_html(report())
    bars = re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="14.0"', page)
    assert bars
    assert all(float(x) + float(width) <= 741.5 for x, width in bars)


def test_names_are_escaped_and_a_run_without_an_answer_has_no_timeline() -> None:
    page = goodput_html(
        report(run="<b>x</b>", logs=[NamedLog("x", read_log("hello\n"))], records=None)
    )
    assert "&lt;b&gt;x" in page
    assert "<svg" not in page
    assert "steps: no log has a step line" in page
