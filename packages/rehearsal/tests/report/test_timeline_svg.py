"""The timeline as a drawing: bars, labels, axis."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ET

import pytest

from clusterwright_rehearsal.report import timeline_svg
from clusterwright_rehearsal.verdict import Phase, Verdict
from packages.rehearsal.tests.report import verdicts
from packages.rehearsal.tests.report.verdicts import START, boot_events


def test_bars_match_the_times() -> None:
    root = ET.fromstring(timeline_svg.whole(verdicts.BROKEN))
    bars = {
        rect[0].text: (float(rect.attrib["x"]), float(rect.attrib["width"]))
        for rect in root.iter("rect")
    }
    start, _ = bars["deployment: 30.0 s, passed"]
    created, boot = bars["controller-1: the machine starts, 2.5 s"]
    per_second = boot / 2.5
    assert created - start == pytest.approx(19.8 * per_second, abs=0.3)
    assert bars["workers-1: lost, 8.0 s"][1] == pytest.approx(8.0 * per_second, abs=0.3)
    # A new instance after the loss begins anew.
    assert "workers-1: the machine starts, 3.0 s" in bars
    marks = [g[0].text for g in root.iter("g")]
    assert "workers-2: failed: lustre: /fsx is silent" in marks
    assert "workers-1: replaced by a new instance" in marks


def test_first_boot_timeline_has_only_its_steps() -> None:
    verdict = dataclasses.replace(
        verdicts.BROKEN, timeline=(*verdicts.BROKEN.timeline, *boot_events("workers-9", at=120.0))
    )
    root = ET.fromstring(timeline_svg.coming_up(verdict))
    titles = [rect[0].text for rect in root.iter("rect")]
    assert "workers-1: lustre, applied, 2.50 s" in titles
    assert "workers-2: lustre, failed, 1.50 s" in titles
    assert not any(text and text.startswith("workers-9") for text in titles)
    assert not list(root.iter("g"))[1:], "the loss of workers-1 came later"


@pytest.mark.parametrize("seconds", [0.0, 1e-7, 0.004, 7.0, 86_400.0])
def test_axis_has_few_ticks_at_any_length(seconds: float) -> None:
    verdict = Verdict(
        config="x",
        cluster="x",
        suite="trixie",
        slurm=None,
        phases=(Phase("deployment", seconds, START),),
    )
    drawn = timeline_svg.whole(verdict)
    if drawn:
        ticks = [t for t in ET.fromstring(drawn).iter("text") if t.attrib["class"] == "tick"]
        assert 2 <= len(ticks) <= 10
    else:
        assert seconds < 1e-3
