"""Tests of services.s3.pages."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.services.s3 import pages
from clusterwright_localaws.services.s3.pages import Page, page

ENTRIES = [("a/b/1", "v1"), ("a/b/2", "v1"), ("a/c", "v2"), ("a/c", "v1"), ("a/d", "v1")]


@pytest.mark.parametrize(
    ("asked", "entries", "prefixes", "truncated"),
    [
        ({"limit": 9}, ENTRIES, [], False),
        ({"limit": 2}, ENTRIES[:2], [], True),
        ({"limit": 5}, ENTRIES, [], False),
        ({"limit": 0}, [], [], False),
        ({"limit": 9, "prefix": "a/c"}, ENTRIES[2:4], [], False),
        ({"limit": 9, "after_key": "a/c"}, ENTRIES[4:], [], False),
        ({"limit": 9, "after_key": "a/c", "after_id": "v2"}, ENTRIES[3:], [], False),
        ({"limit": 9, "after_key": "a/c", "after_id": "deleted"}, ENTRIES[2:], [], False),
        ({"limit": 9, "delimiter": "/"}, [], ["a/"], False),
        ({"limit": 1, "prefix": "a/", "delimiter": "/"}, [], ["a/b/"], True),
        (
            {"limit": 1, "prefix": "a/", "delimiter": "/", "after_key": "a/b/"},
            ENTRIES[2:3],
            [],
            True,
        ),
        (
            {"limit": 9, "prefix": "a/", "delimiter": "/", "after_key": "a/b/1"},
            ENTRIES[2:],
            [],
            False,
        ),
    ],
)
def test_pages(asked: Any, entries: Any, prefixes: Any, truncated: bool) -> None:
    found = page(ENTRIES, lambda entry: entry, **asked)
    assert (found.entries, found.prefixes, found.is_truncated) == (entries, prefixes, truncated)


def test_prefixes_are_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    class Unsearched(list[str]):
        def __contains__(self, one: object) -> bool:
            raise AssertionError("it takes as long as there are prefixes")

    monkeypatch.setattr(pages, "Page", lambda: Page(prefixes=Unsearched()))
    found = page(ENTRIES, lambda entry: entry, limit=9, prefix="a/", delimiter="/")
    assert found.prefixes == ["a/b/"]
