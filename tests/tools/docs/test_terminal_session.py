"""The recorded terminal session: what a terminal shows at the end, as SVG."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from tools.docs import terminal_session
from tools.docs.terminal_session import Command, Span, UnexpectedExit, styled_lines, svg
from tools.lint.files import ROOT

SVG = "{http://www.w3.org/2000/svg}"


def plain(output: str, columns: int = 80) -> list[str]:
    return ["".join(span.text for span in line) for line in styled_lines(output, columns)]


def test_colours_become_styles() -> None:
    assert styled_lines(
        "\x1b[1;31merror\x1b[0m: x\n\x1b[2mdim\x1b[22m \x1b[36mhint\x1b[39m\n"
    ) == [
        (Span("error", "bold red"), Span(": x", "")),
        (Span("dim", "dim"), Span(" ", ""), Span("hint", "cyan")),
    ]


def test_a_style_lasts_over_the_end_of_the_line_until_it_is_reset() -> None:
    assert styled_lines("\x1b[32ma\nb\x1b[0m\n") == [
        (Span("a", "green"),),
        (Span("b", "green"),),
    ]


@pytest.mark.parametrize(
    ("output", "lines"),
    [
        ("reading 1 of 2\rreading 2 of 2\r              \rdone\n", ["done          "]),
        ("reading\r\x1b[Kdone\n", ["done"]),
        ("long line\x1b[2K\rdone\n", ["done"]),
        ("abcdefgh\n", ["abcde", "fgh"]),
        ("a\n\nb\n\n\n", ["a", "", "b"]),
    ],
)
def test_progress_is_overwritten_and_long_lines_are_wrapped(output: str, lines: list[str]) -> None:
    assert plain(output, 5 if output == "abcdefgh\n" else 80) == lines


def test_svg_shows_each_command_with_its_output_in_time() -> None:
    blocks = [
        (Command("first", "echo '<a>'", 0), [(Span("<a>", "bold red"),), ()]),
        (Command("", "true", 0), []),
    ]
    root = ET.fromstring(svg(blocks))
    texts = ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]
    assert texts == ["# first", "$ echo '<a>'", "<a>", "$ true"]
    delays = [element.get("style") for element in root.iter(f"{SVG}text")]
    assert delays == [f"animation-delay: {s}s" for s in ("0.00", "0.00", "1.60", "1.72")]


def test_an_unexpected_exit_code_is_an_error() -> None:
    with pytest.raises(UnexpectedExit, match=r"`clusterwright check missing.yaml` exited with 3"):
        terminal_session.drawing([Command("", "clusterwright check missing.yaml", 0)])


def test_the_readme_shows_the_committed_session() -> None:
    committed = (ROOT / "docs" / "images" / "terminal.svg").read_text(encoding="utf-8")
    shown = ["".join(e.itertext()) for e in ET.fromstring(committed).iter(f"{SVG}text")]
    for command in terminal_session.SESSION:
        assert f"$ {command.line}" in shown
    assert "(docs/images/terminal.svg)" in (ROOT / "README.md").read_text(encoding="utf-8")
