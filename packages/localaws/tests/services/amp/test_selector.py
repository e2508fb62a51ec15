"""Tests of services.amp.selector."""

from __future__ import annotations

import time

import pytest

from clusterwright_localaws.services.amp.selector import LONGEST, SelectorError, matches, selector

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
        ('  up { job = "a" } ', True),
        ('up{node=~"(n|m)-[(+*]?\\\\(?1.*"}', True),
        ('up{node=~"(?:n-(?:1|2))?"}', True),
        ('up{node=~"(?i)N-[0-9]{1,3}"}', True),
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
        ('up{job=~"a{99999999999}"}', "is no regular expression"),
        ('up{job=~"' + "(" * 480 + ")" * 480 + '"}', "the local AWS does not evaluate"),
        ('up{job=~"(a+)+b"}', "the local AWS does not evaluate"),
        ('up{job=~"((a+))*b"}', "the local AWS does not evaluate"),
        ('up{job=~"(?:a?){2,40}b"}', "the local AWS does not evaluate"),
        ('up{job!~"(a|aa)+b"}', "the local AWS does not evaluate"),
        ('up{job=~"(a+)(?#x)*b"}', "the local AWS does not evaluate"),
        ("a" * (LONGEST + 1), "the local AWS evaluates selectors of up to 1,024"),
    ],
)
def test_expressions_and_malformed_selectors_are_refused(text: str, message: str) -> None:
    with pytest.raises(SelectorError, match=message):
        selector(text)


@pytest.mark.parametrize(
    "text",
    ["up" + " " * 1000 + "(", " " * 100_000 + "(", 'up{job="' + "\\" * 1000, "{" * 1000],
)
def test_long_texts_are_refused_at_once(text: str) -> None:
    start = time.thread_time()
    with pytest.raises(SelectorError):
        selector(text)
    assert time.thread_time() - start < 5
