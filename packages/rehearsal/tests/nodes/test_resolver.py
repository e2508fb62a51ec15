"""The VPC's resolver, message by message."""

from __future__ import annotations

import queue
import socket
import struct

import pytest

from clusterwright_rehearsal.nodes.resolver import Resolver, machine_address, respond

_A, _AAAA, _PTR = 1, 28, 12


def _question(name: str, kind: int, identity: int = 7) -> bytes:
    labels = b"".join(bytes([len(p)]) + p.encode() for p in name.split(".")) + b"\0"
    return (
        struct.pack("!HHHHHH", identity, 0x0100, 1, 0, 0, 0) + labels + struct.pack("!HH", kind, 1)
    )


def _lookup(name: str) -> str | None:
    return {"s3.us-east-1.amazonaws.com": "10.0.0.1"}.get(name)


def _parts(answer: bytes) -> tuple[int, int, int]:
    """Identity, response code and number of answers."""
    identity, flags, _, count = struct.unpack("!HHHH", answer[:8])
    assert flags & 0x8000
    return identity, flags & 0xF, count


def test_known_name_is_resolved_in_any_case() -> None:
    answer = respond(_question("S3.us-east-1.amazonaws.com", _A), _lookup)
    assert answer is not None
    assert _parts(answer) == (7, 0, 1)
    assert socket.inet_ntoa(answer[-4:]) == "10.0.0.1"


def test_known_name_has_no_ipv6_address() -> None:
    answer = respond(_question("s3.us-east-1.amazonaws.com", _AAAA), _lookup)
    assert answer is not None
    assert _parts(answer) == (7, 0, 0)


def test_an_unknown_name_does_not_exist() -> None:
    answer = respond(_question("example.com", _A), _lookup)
    assert answer is not None
    assert _parts(answer) == (7, 3, 0)


def test_address_resolves_to_its_machine() -> None:
    answer = respond(_question("5.1.0.10.in-addr.arpa", _PTR), _lookup)
    assert answer is not None
    assert _parts(answer) == (7, 0, 1)
    assert answer.endswith(b"\x0bip-10-0-1-5\x03ec2\x08internal\0")


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\0" * 12,
        _question("a.b", _A)[:-6],
        _question("example.com", _A)[:-3],
        _question("a", _A, 1)[:2] + b"\x80" * 40,
    ],
)
def test_malformed_query_is_ignored(message: bytes) -> None:
    assert respond(message, _lookup) is None


def test_machine_names_contain_their_addresses() -> None:
    assert machine_address("ip-10-0-1-5") == "10.0.1.5"
    assert machine_address("ip-10-0-1-5.ec2.internal") == "10.0.1.5"
    assert machine_address("ip-10-0-1.ec2.internal") is None


class Socket:
    """A bound socket whose `unreachable` senders are on machines that were removed."""

    def __init__(self) -> None:
        self.questions: queue.Queue[tuple[bytes, str] | None] = queue.Queue()
        self.answers: queue.Queue[tuple[bytes, str]] = queue.Queue()
        self.unreachable: set[str] = set()

    def recvfrom(self, _: int) -> tuple[bytes, str]:
        question = self.questions.get(timeout=30)
        if question is None:
            raise OSError("closed")
        return question

    def sendto(self, answer: bytes, sender: str) -> None:
        if sender in self.unreachable:
            raise OSError("no route to host")
        self.answers.put((answer, sender))

    def close(self) -> None:
        self.questions.put(None)


def test_resolver_goes_on_after_an_answer_that_cannot_be_sent_or_found() -> None:
    """A machine can be removed between its question and the answer."""

    def lookup(name: str) -> str | None:
        if name == "broken":
            raise KeyError(name)
        return _lookup(name)

    bound = Socket()
    bound.unreachable.add("removed")
    for name, sender in (("example.com", "removed"), ("broken", "one"), ("example.com", "two")):
        bound.questions.put((_question(name, _A), sender))
    resolver = Resolver(bound, lookup)  # type: ignore[arg-type]
    failed, there = bound.answers.get(timeout=30), bound.answers.get(timeout=30)
    assert (_parts(failed[0])[1], failed[1]) == (2, "one")  # SERVFAIL
    assert (_parts(there[0])[1], there[1]) == (3, "two")
    resolver.close()
