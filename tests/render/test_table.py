"""Text and Markdown tables."""

from __future__ import annotations

import pytest

from clusterwright.render.table import columns, counted, markdown_cell, markdown_table


@pytest.mark.parametrize(("count", "text"), [(0, "0 nodes"), (1, "1 node"), (2048, "2,048 nodes")])
def test_counts(count: int, text: str) -> None:
    assert counted(count, "node") == text


def test_columns_are_padded_without_trailing_spaces() -> None:
    rows = [("name", "count"), ("a", "1,000"), ("longer", "")]
    assert columns(rows, ("left", "right")) == ["name    count", "a       1,000", "longer"]
    assert columns([], ("left",)) == []
    assert columns([("a", "b")], ("left", "left"), gap=1) == ["a b"]


def test_a_row_with_another_number_of_cells_is_an_error() -> None:
    with pytest.raises((ValueError, IndexError)):
        columns([("a",)], ("left", "left"))


def test_a_markdown_table() -> None:
    assert markdown_table(("a", "b"), [("x|y", "1")], ("left", "right")) == [
        "| a | b |",
        "| --- | ---: |",
        "| x\\|y | 1 |",
    ]


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("plain", "plain"),
        ("a*b_c`d", "a\\*b\\_c\\`d"),
        ("<b>[x](y)", "&lt;b&gt;\\[x\\](y)"),
        ("two  words ", "two words"),
        ("back\\slash", "back\\\\slash"),
    ],
)
def test_cells_are_escaped(text: str, cell: str) -> None:
    assert markdown_cell(text) == cell
