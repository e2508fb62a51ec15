"""Reads that are sent together."""

from __future__ import annotations

import threading
import time

import pytest

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.cluster_state.not_read import NotRead
from clusterwright.cluster_state.parallel import MAXIMUM_THREADS, call_together, read_together


def refuse() -> None:
    raise AwsUnavailable(
        service="ec2", operation="DescribeX", region="us-east-1", reason="denied", detail="no"
    )


def test_values_and_refusals_by_name() -> None:
    shown: list[tuple[int, int]] = []
    found = read_together(
        {"a": lambda: 1, "b": refuse, "c": lambda: None},
        deadline_seconds=10,
        progress=lambda done, known: shown.append((done, known)),
    )
    assert (found["a"], found["c"]) == (1, None)
    assert isinstance(found["b"], NotRead)
    assert (found["b"].what, found["b"].iam_action) == ("b", "ec2:DescribeX")
    assert shown == [(1, 3), (2, 3), (3, 3)]


def test_all_are_sent_at_once() -> None:
    barrier = threading.Barrier(MAXIMUM_THREADS, timeout=10)
    reads = {str(index): barrier.wait for index in range(MAXIMUM_THREADS)}
    found = read_together(reads, deadline_seconds=20)
    assert not [value for value in found.values() if isinstance(value, NotRead)]


def test_more_reads_than_threads() -> None:
    reads = {str(index): (lambda index=index: index) for index in range(200)}
    assert read_together(reads, deadline_seconds=20) == {str(index): index for index in range(200)}


def test_an_answer_after_the_deadline_is_unknown() -> None:
    never = threading.Event()
    start = time.monotonic()
    found = read_together(
        {"slow": lambda: never.wait(60), "fast": lambda: 1}, deadline_seconds=0.2
    )
    assert time.monotonic() - start < 10
    never.set()
    assert found["fast"] == 1
    assert found["slow"] == NotRead(
        "slow", "AWS did not answer within 0.2 s", "allow more time: --timeout"
    )


def test_other_errors_are_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        read_together({"bug": lambda: 1 // 0}, deadline_seconds=10)


def test_calls_of_a_read_are_sent_together_and_keep_their_order() -> None:
    first = threading.Event()

    def second() -> int:
        first.set()
        return 2

    assert call_together(lambda: first.wait(60), second) == [True, 2]
    assert call_together() == []


def test_the_first_error_of_the_calls_of_a_read_is_raised() -> None:
    never = threading.Event()
    with pytest.raises(AwsUnavailable):
        call_together(never.wait, refuse)
    never.set()
