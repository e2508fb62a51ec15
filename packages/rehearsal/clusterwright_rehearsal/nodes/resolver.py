"""The VPC's DNS resolver: names of AWS services, file systems, databases and machines.

Names of AWS services resolve to the local AWS. Names of file systems and databases resolve while
the resource exists in the local AWS (to an address without a listener for file systems, since the
mount helper does not connect). All other names do not exist: the machines have no route to the
internet, as with closed egress.
"""

from __future__ import annotations

import re
import socket
import struct
import threading
from collections.abc import Callable

_A, _PTR, _AAAA, _ANY = 1, 12, 28, 255
_SERVFAIL, _NXDOMAIN = 2, 3
_TTL_S = 5
_MACHINE = re.compile(r"^ip-(\d+)-(\d+)-(\d+)-(\d+)(?:\..*)?$")
_REVERSE = re.compile(r"^(\d+)\.(\d+)\.(\d+)\.(\d+)\.in-addr\.arpa$")

Lookup = Callable[[str], str | None]
"""Return the IPv4 address of a lowercase name without a final dot, or None."""


class Resolver:
    """A DNS server over UDP on a bound socket, until `close`."""

    def __init__(self, bound: socket.socket, lookup: Lookup) -> None:
        self._socket = bound
        self._lookup = lookup
        self._closed = False
        threading.Thread(target=self._serve, name="resolver", daemon=True).start()

    def close(self) -> None:
        self._closed = True
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                question, sender = self._socket.recvfrom(4096)
                answer = respond(question, self._lookup)
                if answer is not None:
                    self._socket.sendto(answer, sender)
            except OSError as error:
                if self._closed:
                    return
                # The sender was removed meanwhile. Without the resolver slurmctld would stand
                # still: it resolves the address of each connection.
                print(f"resolver: {error}", flush=True)


def respond(question: bytes, lookup: Lookup) -> bytes | None:
    """The answer to a DNS message with one question (RFC 1035); None for any other message.

    A lookup that raises is answered with SERVFAIL.
    """
    if len(question) < 17 or question[2] & 0x80:
        return None
    identity, flags, count = struct.unpack("!HHH", question[:6])
    parsed = _name(question)
    if count != 1 or parsed is None:
        return None
    name, end = parsed
    if len(question) < end + 4:
        return None
    kind = struct.unpack("!H", question[end : end + 2])[0]
    question_section = question[12 : end + 4]
    records = b""
    address = None
    code = 0
    host = _host_of(name) if kind in (_PTR, _ANY) else None
    if host is None:
        try:
            address = lookup(name)
            code = 0 if address is not None else _NXDOMAIN
        except Exception as error:  # noqa: BLE001 - the next question is answered all the same
            print(f"resolver: {name}: {error!r}", flush=True)
            code = _SERVFAIL
    # Recursion is available; opcode and "recursion desired" are copied from the question.
    head = 0x8080 | (flags & 0x7900) | code
    if host is not None:
        records = struct.pack("!HHHIH", 0xC00C, _PTR, 1, _TTL_S, len(host)) + host
    elif address is not None and kind in (_A, _ANY):
        records = struct.pack("!HHHIH", 0xC00C, _A, 1, _TTL_S, 4) + socket.inet_aton(address)
    header = struct.pack("!HHHHHH", identity, head, 1, 1 if records else 0, 0, 0)
    return header + question_section + records


def machine_address(name: str) -> str | None:
    """The address in a machine's name: `ip-10-0-1-5` or `ip-10-0-1-5.ec2.internal`."""
    match = _MACHINE.match(name)
    return ".".join(match.groups()) if match else None


def _host_of(name: str) -> bytes | None:
    """The encoded name of a machine for its reverse name (`5.1.0.10.in-addr.arpa`)."""
    match = _REVERSE.match(name)
    if match is None:
        return None
    host = "ip-" + "-".join(reversed(match.groups()))
    labels = [host, "ec2", "internal"]
    return b"".join(bytes([len(label)]) + label.encode() for label in labels) + b"\0"


def _name(message: bytes) -> tuple[str, int] | None:
    labels: list[str] = []
    position = 12
    while position < len(message):
        length = message[position]
        if length == 0:
            return ".".join(labels), position + 1
        if length > 63 or position + 1 + length > len(message):
            return None
        labels.append(message[position + 1 : position + 1 + length].decode("ascii", "replace"))
        labels[-1] = labels[-1].lower()
        position += 1 + length
    return None
