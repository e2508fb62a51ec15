"""Words that every match of an expression contains."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.literals import required


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"Munge decode failed: \d+", {"munge decode failed: "}),
        (r"(?:timed out|refused)\b", {"timed out", "refused"}),
        (r"a{0,3}bcd?", None),
        (r"(?:abc|d*)", None),
        (r".{0,40}(?:Kernel panic)+x", {"kernel panic"}),
    ],
)
def test_required(pattern: str, words: set[str] | None) -> None:
    assert required(pattern) == words
