"""Plain scalars: one meaning each."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.scalars import MAXIMUM_DIGITS, Ambiguous, plain, whole_characters


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", 1), ("-1.5e3", -1500.0), ("0", 0), ("0.5", 0.5), ("no", "no"), ("Null", None)],
)
def test_values(text: str, value: Any) -> None:
    assert plain(text) == value


@pytest.mark.parametrize("text", ["00", "007", "-01", "+010", "1" * 19, "0" * 30, "9" * 5000])
def test_ambiguous_digits_are_refused(text: str) -> None:
    with pytest.raises(Ambiguous) as refused:
        plain(text)
    assert "quote it if it is text" in refused.value.hint
    assert len(refused.value.message) < 80


def test_longest_number_is_accepted() -> None:
    assert plain("9" * MAXIMUM_DIGITS) == 10**MAXIMUM_DIGITS - 1


def test_surrogate_pairs_are_joined() -> None:
    assert whole_characters("a\ud83d\ude80b") == "a🚀b"
    assert whole_characters("🚀") == "🚀"
    for half in ("\ud83d", "\ude80", "\ude80\ud83d"):
        with pytest.raises(Ambiguous):
            whole_characters(half)
