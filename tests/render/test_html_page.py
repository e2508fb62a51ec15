"""The page of HTML reports."""

from __future__ import annotations

from clusterwright.render.html_page import document, facts


def test_document_has_no_scripts_and_escapes_its_title() -> None:
    page = document("a <b>", ["<p>x</p>", ""])
    assert page.startswith("<!DOCTYPE html>\n")
    assert "<title>a &lt;b&gt;</title>" in page
    assert "default-src 'none'" in page
    assert page.endswith("<main>\n<p>x</p>\n</main>\n</body>\n</html>\n")


def test_facts() -> None:
    assert facts([("A", "1", "<note>")]) == (
        '<dl class="facts"><div><dt>A</dt><dd>1<small>&lt;note&gt;</small></dd></div></dl>'
    )
