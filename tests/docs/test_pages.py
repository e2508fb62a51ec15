"""Faults of edited pages: repeated passages, and markup that only the site understands."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.docs.shown import PAGES, ROOT

_BLOCK = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"^ *\|.*$", re.MULTILINE)
_LENGTH = 80
WRITTEN = [page for page in PAGES if "Generated" not in page.read_text(encoding="utf-8")[:400]]


def repeated(text: str) -> list[str]:
    """Long sentences of the prose that occur more than once; tables and code are left out."""
    prose = re.sub(r"\s+", " ", _TABLE.sub("", _BLOCK.sub("\n", text)))
    sentences = Counter(s.strip() for s in re.split(r"(?<=[.:]) ", prose))
    return [text for text, count in sentences.items() if count > 1 and len(text) >= _LENGTH]


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_passage_occurs_twice(page: Path) -> None:
    assert repeated(page.read_text(encoding="utf-8")) == []


def test_a_passage_that_was_pasted_twice_is_found() -> None:
    sentence = (
        "Every call is recorded with its service, its operation and the account of a caller."
    )
    wrapped = sentence.replace(" its ", "\nits ", 1)
    assert repeated(f"One. {sentence}\n\nTwo.\n{wrapped}") == [sentence]
    assert repeated(f"{sentence}\n\n```text\n{sentence}\n```\n") == []


def test_no_page_includes_another_file_with_markup_of_the_site_only() -> None:
    assert [page for page in PAGES if "--8<--" in page.read_text(encoding="utf-8")] == []
