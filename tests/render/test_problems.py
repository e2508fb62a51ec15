"""Problems of a spec are shown with their line, with carets below the position."""

from __future__ import annotations

from clusterwright.cluster_spec.problems import Position, Problem
from clusterwright.render.problems import problems_text

COUNT = Position("configs/prod.yaml", 22, 12, 2, "    count: 64")


def test_full_format_matches_the_contract() -> None:
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


def test_problems_are_separated_and_notes_follow_the_position() -> None:
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
