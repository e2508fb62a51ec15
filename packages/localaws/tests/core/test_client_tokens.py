"""Tests of core.client_tokens."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

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
