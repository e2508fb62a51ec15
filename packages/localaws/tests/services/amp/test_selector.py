"""Tests of services.amp.selector."""

from __future__ import annotations

import pytest

from clusterwright_localaws.services.amp.selector import SelectorError, matches, selector

UP = {"__name__": "up", "job": "a", "node": "n-1"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("up", True),
        ('up{job="a"}', True),
        ('{__name__="up", node=~"n-.*",}', True),
        ('up{absent=""}', True),
        ('up{job!="a"}', False),
        ('up{node=~"n"}', False),
        ('up{node!~"m-.*"}', True),
        ("down", False),
    ],
)
def test_selectors_are_those_of_prometheus(text: str, found: bool) -> None:
    assert matches(selector(text), UP) is found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the local AWS evaluates selectors only, and not ''"),
        ("rate(up[5m])", "the local AWS evaluates selectors only"),
        ("{}", "the local AWS evaluates selectors only"),
        ('up{job="a}', "a condition cannot be read"),
        ('up{job=~"("}', "is no regular expression"),
    ],
)
def test_expressions_and_malformed_selectors_are_refused(text: str, message: str) -> None:
    with pytest.raises(SelectorError, match=message):
        selector(text)
