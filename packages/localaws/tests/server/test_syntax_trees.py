"""Tests of server.syntax_trees."""

from __future__ import annotations

import ast
import threading

from clusterwright_localaws.server.syntax_trees import one_at_a_time


def test_calls_of_two_threads_do_not_overlap() -> None:
    begun, ended = threading.Event(), threading.Event()
    seen = []

    @one_at_a_time
    def call(name: str) -> None:
        seen.append(f"{name} begins")
        if name == "first":
            begun.set()
            ended.wait(0.2)
        seen.append(f"{name} ends")

    first = threading.Thread(target=call, args=("first",))
    first.start()
    begun.wait(10)
    second = threading.Thread(target=call, args=("second",))
    second.start()
    second.join(0.05)
    ended.set()
    first.join(10)
    second.join(10)
    assert seen == ["first begins", "first ends", "second begins", "second ends"]


def test_a_call_within_a_call() -> None:
    @one_at_a_time
    def depth(number: int) -> int:
        return depth(number - 1) + 1 if number else 0

    assert depth(3) == 3
    assert isinstance(one_at_a_time(ast.parse)("a = 1"), ast.Module)
