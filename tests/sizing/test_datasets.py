"""Data sets by name, and tokens of text."""

from __future__ import annotations

import pytest

from clusterwright.sizing.datasets import chinchilla_tokens, corpus, tokens_of_text
from clusterwright.sizing.errors import GoalError


def test_an_unknown_data_set_has_suggestions() -> None:
    assert corpus("C4_en").name == "c4-en"
    with pytest.raises(GoalError, match="unknown data set") as caught:
        corpus("redpajama")
    assert "redpajama-1t" in (caught.value.hint or "")


def test_tokens_of_text_are_a_range_by_language() -> None:
    english = tokens_of_text(1e12, "English")
    assert english.p10 < english.p50 < english.p90
    assert english.p50 == pytest.approx(1e12 / 4.5)
    with pytest.raises(GoalError, match="bytes per token"):
        tokens_of_text(1e12, "klingon")


def test_chinchilla_has_20_tokens_per_parameter() -> None:
    assert chinchilla_tokens(7e9) == 1.4e11
