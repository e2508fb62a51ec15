"""The scaling report as HTML."""

from __future__ import annotations

import re

from clusterwright.goodput.collectives import InspectorFile, Operation
from clusterwright.render.scaling_html import scaling_html
from tests.support.goodput_reports import scaling


def test_cards_curves_and_table() -> None:
    page = scaling_html(scaling({1: 80.0, 2: 42.0, 4: 24.0}))
    assert "<h1>Scaling of prod</h1>" in page
    cards = re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)<small>([^<]*)", page)
    assert [(name, value) for name, value, _ in cards] == [
        ("Tokens per second", "10,923"),
        ("Efficiency", "83.3%"),
        ("Knee", "4 nodes"),
        ("USD per 10^9 tokens", "3,052"),
    ]
    assert cards[3][2] == "the least, on 1 node"
    assert page.count("<figure>") == 2
    # Only the number of nodes below the knee is marked.
    assert page.count('class="bad"') == 2
    assert re.findall(r'<tr class="marked"><td class="number">(\d+)', page) == ["4"]
    assert "knee: below 90 % from 4 nodes" in page


def test_bars_are_in_proportion_and_within_the_chart() -> None:
    page = scaling_html(scaling({1: 80.0, 2: 40.0, 4: 20.0}))
    widths = [float(one) for one in re.findall(r'width="([\d.]+)" height="10.0"', page)]
    assert [round(width / widths[-1], 3) for width in widths] == [0.25, 0.5, 1.0]
    assert max(widths) <= 580
    assert "none" in page


def test_without_logs_it_says_what_is_unknown() -> None:
    page = scaling_html(scaling({}))
    assert "<figure>" not in page
    assert "throughput: no log has step lines and a number of nodes" in page


def test_texts_are_escaped() -> None:
    report = scaling({1: 80.0, 2: 42.0})
    assert "<script" not in scaling_html(report)
    assert "&lt;b&gt;" in scaling_html(type(report)(**{**vars(report), "environment": "<b>"}))


def test_operations_and_the_knee_against_the_plan() -> None:
    files = [InspectorFile("a.log", (Operation("<i>", 8, 3.0, 1),))]
    page = scaling_html(scaling({2: 42.0}, inspector=files))
    assert "<h2>Operations of NCCL, by NCCL Inspector</h2>" in page
    assert "<li>on 2 nodes: &lt;i&gt; takes most time, 100.0%</li>" in page
    assert "Knee against the plan: below 90 % of its throughput from 2 nodes" in page
