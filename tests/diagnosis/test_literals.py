"""Words that every match of an expression contains."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.literals import Expression, alternatives, clauses, required


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


def test_every_set_of_words_is_required() -> None:
    found = clauses(r"(?:loss|grad\w*).{0,30} is (?:nan|inf)\b")
    assert list(map(set, found)) == [{" is "}, {"loss", "grad"}, {"nan", "inf"}]


@pytest.mark.parametrize(
    ("pattern", "parts"),
    [
        (r"a(?:b|c)|d", ("a(?:b|c)", "d")),
        (r"[|]|[]|]x|[[|]y|[^]|]", ("[|]", "[]|]x", "[[|]y", "[^]|]")),
        (r"\||\[|[\]|]", (r"\|", r"\[", r"[\]|]")),
        (r"one", ("one",)),
    ],
)
def test_alternatives(pattern: str, parts: tuple[str, ...]) -> None:
    assert alternatives(pattern) == parts


def test_an_expression_is_compiled_for_a_text_with_its_words() -> None:
    expression = Expression(r"code (?P<code>\d+)")
    assert expression.search("exit 7", "exit 7") is None
    assert "pattern" not in vars(expression)
    found = expression.search("exit code 7", "exit code 7")
    assert found is not None
    assert found["code"] == "7"
