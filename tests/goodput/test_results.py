"""Verdicts beside the plan, and numbers of documents."""

from __future__ import annotations

import pytest

from clusterwright.goodput.results import Comparison, plain


@pytest.mark.parametrize(
    ("measured", "verdict"),
    [(0.1, "below"), (0.2, "within"), (0.4, "within"), (0.5, "above"), (None, "unknown")],
)
def test_verdict(measured: float | None, verdict: str) -> None:
    assert Comparison(measured, 0.2, 0.3, 0.4).verdict == verdict
    assert Comparison(measured, None, 0.3, 0.4).verdict == "unknown"


@pytest.mark.parametrize("value", [None, True, "1", 0, -1, float("nan"), float("inf"), [1]])
def test_other_values_of_a_document_are_unknown(value: object) -> None:
    assert plain(value) is None
    assert plain(3) == 3.0
