"""Elements of an HTML document."""

from __future__ import annotations

from clusterwright.render import html_elements as html


def test_every_text_is_escaped() -> None:
    unsafe = "<b>&"
    safe = "&lt;b&gt;&amp;"
    for made in (
        html.paragraph(unsafe),
        html.listing([unsafe]),
        html.table([unsafe], [[unsafe]], ["left"]),
        html.lines([unsafe]),
        html.section(unsafe, "x"),
        html.folded(unsafe, "x"),
    ):
        assert safe in made
        assert unsafe not in made


def test_nothing_is_written_without_content() -> None:
    assert html.listing([]) == ""
    assert html.table(["a"], [], ["left"]) == ""
    assert html.section("title", "") == ""
    assert html.folded("title", "", "") == ""


def test_numbers_are_aligned_and_rows_marked() -> None:
    made = html.table(
        ["a", "b"], [["x", "1"], ["y", "2"]], ["left", "right"], marked=[1], whole=[0]
    )
    assert made.count('class="number"') == 3
    assert made.count('class="whole"') == 3
    assert '<tr class="marked"><td class="whole">y</td>' in made
    assert '<tr><td class="whole">x</td>' in made


def test_lines_keep_their_ends() -> None:
    assert html.lines(["a \\", "b"]) == "<pre>a \\\nb</pre>"


def test_lists_may_be_ordered() -> None:
    assert html.listing(["a", "b"], ordered=True) == "<ol><li>a</li><li>b</li></ol>"
