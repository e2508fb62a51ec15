"""Marks of charts."""

from __future__ import annotations

from clusterwright.render import svg


def test_marks_escape_their_words() -> None:
    assert svg.label(1, 2, "<x>") == '<text x="1.0" y="2.0" text-anchor="start">&lt;x&gt;</text>'
    assert "<title>a &amp; b</title>" in svg.bar(0, 0, 1, 1, "f0", "a & b")
    assert 'aria-label="&quot;t&quot;"' in svg.figure(10, ["x"], '"t"')
    assert svg.grid(1, 2, 3) == '<line x1="1.0" x2="3.0" y1="3.0" y2="3.0" class="grid"/>'


def test_legend_has_a_bar_and_a_name_for_each() -> None:
    assert len(svg.legend([("a", "f0"), ("b", "f1")], 0)) == 4
