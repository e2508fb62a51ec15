"""Excerpts of source files."""

from __future__ import annotations

from clusterwright.cluster_spec.problems import Position, Problem
from clusterwright.render.problems import problems_text
from clusterwright.render.source import excerpt


def test_file_without_a_line_is_named_alone() -> None:
    assert excerpt(Position("empty.yaml", 1, 1)) == ["  empty.yaml:1:1"]


def test_carets_are_aligned_with_wide_characters_and_tabs() -> None:
    lines = excerpt(Position("a.yaml", 1, 6, 2, "\t名前: 64"))
    assert lines[1].endswith("| \t名前: 64")
    assert lines[2].endswith("| \t      ^^")


def test_caret_below_a_wide_character_has_its_width() -> None:
    assert excerpt(Position("a.yaml", 1, 1, 2, "名前"))[2].endswith("| ^^^^")


def test_very_long_line_is_truncated_around_the_position() -> None:
    line = "a" * 500 + "XY" + "b" * 500
    shown = excerpt(Position("a.yaml", 7, 501, 2, line))
    assert len(shown[1]) < 180
    assert shown[1].index("XY") == shown[2].index("^^")
    assert shown[2].count("^") == 2


def test_position_after_the_end_of_the_line_has_a_caret() -> None:
    assert excerpt(Position("a.yaml", 1, 99, 1, "short"))[2].endswith("|      ^")


def test_control_characters_are_escaped() -> None:
    text = problems_text(
        [Problem("bad\x1b[2J", position=Position("a.yaml", 1, 1, 1, "x\x1b[31m"))]
    )
    assert "\x1b" not in text
