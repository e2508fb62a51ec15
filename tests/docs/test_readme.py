"""README.md, and README.ja.md, which has the same commands, headings, links and tables."""

from __future__ import annotations

import re

from tools.lint.files import ROOT

ENGLISH = (ROOT / "README.md").read_text(encoding="utf-8")
JAPANESE = (ROOT / "README.ja.md").read_text(encoding="utf-8")

_BLOCK = re.compile(r"^ *```\w*\n.*?^ *```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
_TRANSLATED = re.compile(r"^(#+) .+ <!-- (.+) -->$", re.MULTILINE)
_LINK = re.compile(r"\]\(([^)]+)\)")
_CODE = re.compile(r"`[^`\n]+`")


def without_blocks(text: str) -> str:
    return _BLOCK.sub("", text)


def rows(text: str) -> list[int]:
    """The number of cells of each line of a table."""
    return [line.count("|") for line in without_blocks(text).splitlines() if line[:1] == "|"]


def test_commands_are_the_same() -> None:
    assert len(_BLOCK.findall(ENGLISH)) >= 10
    assert _BLOCK.findall(JAPANESE) == _BLOCK.findall(ENGLISH)


def test_headings_are_the_same() -> None:
    """A translated heading names the English one in a comment."""
    headings = _HEADING.findall(without_blocks(ENGLISH))
    assert _TRANSLATED.findall(without_blocks(JAPANESE)) == headings
    assert len(_HEADING.findall(without_blocks(JAPANESE))) == len(headings)


def test_links_are_the_same_apart_from_the_other_language() -> None:
    english, japanese = (sorted(_LINK.findall(text)) for text in (ENGLISH, JAPANESE))
    assert [link for link in english if link != "README.ja.md"] == [
        link for link in japanese if link != "README.md"
    ]
    assert "README.ja.md" in english
    assert "README.md" in japanese


def test_tables_and_code_are_the_same() -> None:
    assert rows(JAPANESE) == rows(ENGLISH)
    english, japanese = (
        sorted(_CODE.findall(without_blocks(text))) for text in (ENGLISH, JAPANESE)
    )
    assert japanese == english


def test_links_exist() -> None:
    for link in _LINK.findall(ENGLISH):
        assert (ROOT / link).exists(), link


def test_share_of_caught_failures_is_that_of_the_list() -> None:
    page = (ROOT / "docs" / "explanations" / "field-failures.md").read_text(encoding="utf-8")
    found = re.search(r"\*\*(\d+) of (\d+)\*\* reported failures", page)
    assert found is not None
    caught, reported = int(found[1]), int(found[2])
    assert "more than 100 failures" in re.sub(r"\s+", " ", ENGLISH)
    assert "about nine in ten" in ENGLISH
    assert reported > 100
    assert 0.85 <= caught / reported <= 0.95
