"""Problems of a spec are shown with the line they stand on, carets under what is meant."""

from __future__ import annotations

import io

import pytest

from clusterwright.cluster_spec.problems import Position, Problem
from clusterwright.render.problems import problems_text
from clusterwright.render.source import excerpt
from clusterwright.render.style import Style

COUNT = Position("configs/prod.yaml", 22, 12, 2, "    count: 64")


def test_the_whole_form_is_the_one_of_the_contract() -> None:
    problem = Problem(
        "compute[2].count: 64 is more than 8",
        ("compute", 2, "count"),
        hint="count: 8",
        position=COUNT,
    )
    assert problems_text([problem]) == (
        "error: compute[2].count: 64 is more than 8\n"
        "  configs/prod.yaml:22:12\n"
        "   22 |     count: 64\n"
        "      |            ^^\n"
        "\n"
        "hint: count: 8\n"
    )


def test_problems_are_parted_by_an_empty_line_and_notes_follow_the_place() -> None:
    first = Problem("one", position=COUNT, note="see network.cidr at a.yaml:3")
    second = Problem("two")
    assert problems_text([first, second]) == (
        "error: one\n"
        "  configs/prod.yaml:22:12\n"
        "   22 |     count: 64\n"
        "      |            ^^\n"
        "  see network.cidr at a.yaml:3\n"
        "\n"
        "error: two\n"
    )


def test_a_file_without_a_line_to_show_is_named_alone() -> None:
    assert excerpt(Position("empty.yaml", 1, 1)) == ["  empty.yaml:1:1"]


def test_wide_characters_and_tabs_keep_the_carets_in_place() -> None:
    lines = excerpt(Position("a.yaml", 1, 6, 2, "\t名前: 64"))
    assert lines[1].endswith("| \t名前: 64")
    assert lines[2].endswith("| \t      ^^")


def test_a_caret_under_a_wide_character_is_as_wide() -> None:
    assert excerpt(Position("a.yaml", 1, 1, 2, "名前"))[2].endswith("| ^^^^")


def test_a_very_long_line_is_shown_around_its_place() -> None:
    line = "a" * 500 + "XY" + "b" * 500
    shown = excerpt(Position("a.yaml", 7, 501, 2, line))
    assert len(shown[1]) < 180
    assert shown[1].index("XY") == shown[2].index("^^")
    assert shown[2].count("^") == 2


def test_a_place_past_the_end_of_the_line_still_has_a_caret() -> None:
    assert excerpt(Position("a.yaml", 1, 99, 1, "short"))[2].endswith("|      ^")


def test_control_characters_of_a_file_do_not_reach_the_terminal() -> None:
    text = problems_text(
        [Problem("bad\x1b[2J", position=Position("a.yaml", 1, 1, 1, "x\x1b[31m"))]
    )
    assert "\x1b" not in text


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environment", "coloured"),
    [
        (_Terminal(), {}, True),
        (_Terminal(), {"NO_COLOR": "1"}, False),
        (_Terminal(), {"NO_COLOR": ""}, True),
        (_Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
    ],
)
def test_colour_is_for_terminals_that_want_it(
    stream: io.StringIO, environment: dict[str, str], coloured: bool
) -> None:
    style = Style.of(stream, environment)
    text = problems_text([Problem("m", position=COUNT)], style)
    assert ("\x1b[" in text) is coloured
