"""Estimates in words, and lines while an operation prints nothing."""

from __future__ import annotations

import threading

import pytest

from clusterwright_rehearsal.progress import duration, heartbeat


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "10 seconds"),
        (44, "40 seconds"),
        (89, "90 seconds"),
        (90, "2 minutes"),
        (1500, "25 minutes"),
    ],
)
def test_durations(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_elapsed_time_is_reported_until_the_end() -> None:
    said: list[str] = []
    twice = threading.Event()

    def progress(text: str) -> None:
        said.append(text)
        if len(said) == 2:
            twice.set()

    with heartbeat(progress, "building", every_s=0.01):
        assert twice.wait(30)
    before = list(said)
    assert all(text == "building: 0 s so far" for text in before[:2])
    assert not twice.wait(0) or said == before, "it goes on after the block"


def test_an_error_in_the_block_ends_it() -> None:
    with pytest.raises(ValueError, match="no"), heartbeat(lambda _: None, "building", 0.01):
        raise ValueError("no")
    assert not [t for t in threading.enumerate() if "beat" in t.name]
