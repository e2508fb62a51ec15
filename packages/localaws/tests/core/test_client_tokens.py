"""Tests of core.client_tokens."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest

from clusterwright_localaws.core import client_tokens
from clusterwright_localaws.core.client_tokens import once
from clusterwright_localaws.core.errors import AwsError
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.worlds.model import World


class Work:
    """Counts what is done; each call answers its number."""

    def __init__(self) -> None:
        self.runtime = Runtime(World())
        self.count = 0

    def __call__(self, request: dict[str, Any], token: str = "t", **more: Any) -> tuple[int, bool]:
        whose = ("svc", "111122223333", more.pop("region", "us-east-1"))
        more.setdefault("mismatch", lambda: AwsError("Mismatch", "other parameters"))
        return once(self.runtime, whose, token, request, self._make, **more)

    def _make(self) -> int:
        self.count += 1
        return self.count


def test_a_repeated_token_has_the_first_result() -> None:
    work = Work()
    assert work({"a": 1}) == (1, False)
    assert work({"a": 1}) == (1, True)
    assert work({"a": 1}, "other") == (2, False)
    assert work({"a": 1}, region="us-west-2") == (3, False)


def test_other_parameters_are_refused_where_it_is_documented() -> None:
    work = Work()
    work({"a": 1})
    with pytest.raises(AwsError, match="other parameters"):
        work({"a": 2})
    assert work({"a": 2}, mismatch=None) == (1, True)


def test_a_result_that_is_not_kept_is_made_anew() -> None:
    work = Work()
    assert work({}, is_kept=lambda _: False) == (1, False)
    assert work({}) == (2, False)
    assert work({}, is_kept=lambda number: number > 2) == (3, False)


def test_a_token_is_unused_after_a_refusal() -> None:
    runtime = Runtime(World())

    def refused() -> int:
        raise AwsError("Refused", "no")

    whose = ("svc", "111122223333", "us-east-1")
    with pytest.raises(AwsError, match="no"):
        once(runtime, whose, "t", {"a": 1}, refused, mismatch=None)
    assert once(runtime, whose, "t", {"a": 2}, lambda: 7, mismatch=None) == (7, False)


def test_a_token_ends() -> None:
    work = Work()
    lasts = timedelta(hours=8)
    work({}, lasts=lasts)
    work.runtime.clock.advance(8 * 3600 - 60)
    assert work({}, lasts=lasts) == (1, True)
    work.runtime.clock.advance(61)
    assert work({}, lasts=lasts) == (2, False)


WHOSE = ("svc", "111122223333", "us-east-1")


def test_calls_that_wait_for_a_refused_one_have_one_effect() -> None:
    """The first call is refused while two others wait; a fourth begins afterwards."""
    runtime = Runtime(World())
    begun, may_end = threading.Event(), threading.Event()
    numbers = iter(range(1, 9))
    found: list[tuple[int, bool]] = []

    def refused() -> int:
        begun.set()
        may_end.wait(10)
        raise AwsError("Refused", "no")

    def first() -> None:
        with pytest.raises(AwsError, match="no"):
            once(runtime, WHOSE, "t", {}, refused, mismatch=None)

    def other() -> None:
        found.append(once(runtime, WHOSE, "t", {}, lambda: next(numbers), mismatch=None))

    threads = [threading.Thread(target=work) for work in (first, other, other)]
    threads[0].start()
    begun.wait(10)
    for thread in threads[1:]:
        thread.start()
    may_end.set()
    for thread in threads:
        thread.join(10)
    other()
    assert sorted(found) == [(1, False), (1, True), (1, True)]


def test_large_answers_end_the_oldest_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_tokens, "_MOST_BYTES", 100)
    runtime = Runtime(World())

    def repeated(token: str) -> bool:
        answer = (200, {}, "x" * 40)
        return once(runtime, WHOSE, token, {}, lambda: answer, mismatch=None)[1]

    assert [repeated(token) for token in ("a", "b", "c", "b", "c")] == [False] * 3 + [True] * 2
    assert not repeated("a")


def test_a_call_that_has_not_ended_is_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_tokens, "_MOST_KEPT", 1)
    runtime = Runtime(World())

    def make() -> int:
        once(runtime, WHOSE, "other", {}, lambda: 2, mismatch=None)
        return 1

    assert once(runtime, WHOSE, "t", {}, make, mismatch=None) == (1, False)
    assert once(runtime, WHOSE, "t", {}, make, mismatch=None) == (1, True)
