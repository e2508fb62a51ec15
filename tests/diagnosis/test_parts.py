"""Messages by the part of a program that writes them."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.parts import follows, own_words, part, reason, whole, wrong_part

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


CHAIN = (
    part("the disk is full", "disk"),
    part("the key is wrong", "key"),
    part("the connection is lost", "connection", depth=1),
    part("the data is late", "data", depth=2),
    part("the folder is not removed", "folder", depth=None),
)


@pytest.mark.parametrize(
    ("later", "earlier", "is_consequence"),
    [
        ("the data is late: a", "the connection is lost", True),
        ("the connection is lost", "the data is late", False),
        # Of causes without a cause of their own, none is the other's.
        ("the disk is full: a", "the key is wrong: b", False),
        ("the disk is full: a", "the disk is full: b", True),
        ("the data is late: a", "the data is late: b", True),
        ("the data is late", "the folder is not removed", False),
        ("the folder is not removed", "the disk is full", False),
        ("a", "the disk is full", True),
    ],
)
def test_consequences_of_an_earlier_part(later: str, earlier: str, is_consequence: bool) -> None:
    assert follows(CHAIN, later, earlier) == is_consequence


@pytest.mark.parametrize(
    ("message", "own"),
    [
        ('cannot resolve "mpi-3"', 'cannot resolve ""'),
        ("image docker://ghcr.io#a/gres:1 is there", 'image "" is there'),
        ("Couldn't open /home/a/mpi/run: it can't be", "Couldn't open /: it can't be"),
        ("no /sys/fs/cgroup/a, no /etc/slurm/gres.conf", None),
        ("nodes gpu-[1-3,7] and prod-st-gpu-12 wait", "nodes x and x wait"),
        ("(account='gres', name=mpi) has no qos", "(account=, name=) has no qos"),
        ("drained, reason: the GPU is bad", "drained, reason:"),
        ("auth/slurm and PMI-2 and core 3-4", None),
    ],
)
def test_words_of_a_message_without_what_it_repeats(message: str, own: str | None) -> None:
    assert own_words(message) == (message if own is None else own)
