"""Tests of services.logs.events."""

from __future__ import annotations

import time
from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

HOUR = 3_600_000


@pytest.fixture
def put(aws: Any) -> Any:
    logs = client("logs")
    logs.create_log_group(logGroupName="g")
    logs.create_log_stream(logGroupName="g", logStreamName="s")

    def call(*events: tuple[int, str]) -> Any:
        now = int(time.time() * 1000)
        return logs.put_log_events(
            logGroupName="g",
            logStreamName="s",
            logEvents=[{"timestamp": now + ms, "message": text} for ms, text in events],
        )

    return call


def test_a_batch_spans_a_day(put: Any) -> None:
    put((-24 * HOUR, "a"), (0, "b"))
    assert refusal(lambda: put((-25 * HOUR, "a"), (0, "b"))) == (
        "InvalidParameterException",
        "The batch of log events in a single PutLogEvents request cannot span more than 24 hours.",
    )


def test_the_order_is_checked_before_the_span(put: Any) -> None:
    assert refusal(lambda: put((0, "a"), (-48 * HOUR, "b"))) == (
        "InvalidParameterException",
        "Log events in a single PutLogEvents request must be in chronological order.",
    )


def test_events_out_of_time_do_not_count(put: Any) -> None:
    put((-15 * 24 * HOUR, "a"), (0, "b"), (3 * HOUR, "c"))


def test_size_of_a_batch(put: Any) -> None:
    put((0, "x" * (1_048_576 - 26)))
    assert refusal(lambda: put((0, "x" * (1_048_576 - 25))))[0] == "InvalidParameterException"
