"""Patterns of actions and ARNs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clusterwright_localaws.iam.wildcards import matches, matches_arn

TEXTS = st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=20)


@given(TEXTS)
def test_wildcard_matches_every_text(text: str) -> None:
    assert matches("*", text)
    assert matches(text.replace("*", "").replace("?", ""), text.replace("*", "").replace("?", ""))


@given(st.text("ab*?", max_size=12), st.text("ab", max_size=12))
def test_patterns_agree_with_an_exhaustive_matcher(pattern: str, text: str) -> None:
    def tries(p: str, t: str) -> bool:
        if not p:
            return not t
        if p[0] == "*":
            return tries(p[1:], t) or (bool(t) and tries(p, t[1:]))
        return bool(t) and p[0] in ("?", t[0]) and tries(p[1:], t[1:])

    assert matches(pattern, text) is tries(pattern, text)


@given(st.lists(st.text("ab/", max_size=3), min_size=6, max_size=6))
def test_arn_matches_only_itself(parts: list[str]) -> None:
    arn = ":".join(parts)
    assert matches_arn(arn, arn)
    assert not matches_arn(arn, f"{arn}x")


def test_many_wildcards_match_fast() -> None:
    text = "a" * 2000
    assert not matches("*a" * 30 + "*b", text)
    assert matches("*a" * 30 + "*", text)
