"""Answers of the instance metadata service."""

from __future__ import annotations

import urllib.error
from email.message import Message
from typing import Any

import pytest
from clusterwright_spot import notice
from clusterwright_spot.notice import Notice, read_notice


def answers(monkeypatch: pytest.MonkeyPatch, text: Any) -> list[tuple[str, str]]:
    """The token and then `text`, or an error; returns the list of requests."""
    asked: list[tuple[str, str]] = []

    def ask(endpoint: str, method: str, path: str, headers: dict[str, str]) -> str:
        asked.append((method, endpoint + path))
        if method == "PUT":
            return "token"
        assert headers == {"X-aws-ec2-metadata-token": "token"}
        if isinstance(text, Exception):
            raise text
        return str(text)

    monkeypatch.setattr(notice, "_ask", ask)
    return asked


def error(code: int) -> urllib.error.HTTPError:
    return urllib.error.HTTPError("http://x", code, "no", Message(), None)


def test_a_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = answers(monkeypatch, '{"action": "stop", "time": "2026-11-21T08:22:00Z"}')
    assert read_notice("http://m") == Notice("stop", "2026-11-21T08:22:00Z")
    assert asked == [
        ("PUT", "http://m/latest/api/token"),
        ("GET", "http://m/latest/meta-data/spot/instance-action"),
    ]


def test_no_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, error(404))
    assert read_notice() is None


def test_a_refusal_is_not_the_absence_of_a_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, error(401))
    with pytest.raises(urllib.error.HTTPError):
        read_notice()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"action": "stop", "time": 7}'])
def test_another_answer_is_an_error(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    answers(monkeypatch, text)
    with pytest.raises(ValueError, match=r"notice|Expecting"):
        read_notice()
