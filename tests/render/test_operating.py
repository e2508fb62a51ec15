"""Findings and unknown parts as text."""

from __future__ import annotations

import datetime as dt

from clusterwright.operate.results import OperatingFinding, UnknownPart
from clusterwright.render.operating import finding_lines, number_text, time_text, unknown_lines
from clusterwright.render.style import PLAIN


def test_lines() -> None:
    finding = OperatingFinding(code="x", severity="error", message="a\x1b[2Jb", hint="do it")
    assert list(finding_lines([finding], PLAIN)) == ["error[x]: a\ufffd[2Jb", "  hint: do it"]
    assert list(unknown_lines([UnknownPart("the nodes", "denied")], PLAIN)) == [
        "unknown: the nodes: denied"
    ]


def test_values() -> None:
    zone = dt.timezone(dt.timedelta(hours=9))
    assert time_text(dt.datetime(2026, 11, 23, 8, 0, tzinfo=zone)) == "2026-11-22 23:00"
    assert time_text(None) == "–"
    assert (number_text(None), number_text(1024)) == ("unknown", "1,024")
