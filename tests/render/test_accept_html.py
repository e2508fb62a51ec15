"""The report of an acceptance run as HTML."""

from __future__ import annotations

from clusterwright.render.accept_html import accept_html
from tests.render.acceptance_report import REPORT


def test_html_has_a_row_for_each_node_and_a_cell_for_each_check() -> None:
    page = accept_html(REPORT)
    assert page.count('<th scope="row"') == 3
    assert page.count('<th scope="col">') == 4
    assert '<td class="fail" title="fail: 7 of 8 &lt;GPUs&gt;">✗</td>' in page
    assert '<td class="pass" title="pass, 53 GB/s, floor 52">✓</td>' in page
    assert "<GPUs>" not in page
    assert "<li>path n2, n3: bad twice</li>" in page
