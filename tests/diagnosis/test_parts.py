"""Messages by the part of a program that writes them."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.parts import part, reason, whole, wrong_part

PARTS = (
    part("the link is down", r"\blink\b"),
    part("the topology is wrong", place=r"^graph/"),
    part("the image is missing", r"\bimage\b", r"import"),
)


@pytest.mark.parametrize(
    ("message", "place", "said"),
    [
        ("link of eth0 is down", "graph/topo.cc", "the link is down"),
        ("node 3 has no parent", "graph/topo.cc", "the topology is wrong"),
        ("node 3 has no parent", "init.cc", None),
        ("no IMAGE here", "", "the image is missing"),
        ("it ended", "importer.c", "the image is missing"),
    ],
)
def test_part_by_words_or_by_place(message: str, place: str, said: str | None) -> None:
    assert wrong_part(PARTS, message, place) == said


def test_part_without_words_and_place_has_every_message() -> None:
    assert wrong_part((part("anything"),), "a message") == "anything"


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("open /a: Permission denied", "permission"),
        ("mkdir /a: No space left on device", "full"),
        ("bind: Address already in use", "another process"),
        ("connect: Connection refused", "nothing listens"),
        ("stat /fsx: Stale file handle", "does not answer"),
        ("fork: Resource temporarily unavailable", "limit"),
    ],
)
def test_answer_of_the_system(message: str, answer: str) -> None:
    assert answer in (reason(message) or "")


def test_whole_has_the_part_the_answer_and_the_message() -> None:
    assert reason("it is odd") is None
    assert whole("the state cannot be written", "write /a: No space left on device") == (
        "the state cannot be written: the disk is full: write /a: No space left on device"
    )
    assert whole("the state", "odd") == "the state: odd"
