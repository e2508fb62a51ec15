"""Messages of a program by the part of it that wrote them, and by what the system answered.

A signature knows one message. This mechanism knows a program: its parts, each by the files or
functions of its source that log lines name or by the words of its subject, and the texts of errno.
`whole` joins both: what the program was doing, and why it could not. The tables of parts are made
from the programs' sources, so that a message that nobody has reported yet has a cause too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_LONGEST: Final = 200


@dataclass(frozen=True)
class Part:
    """A part of a program: the place in its source, words of its messages, and what is wrong.

    A message is of a part by its place or by its words; without either, every message is.

    Attributes
    ----------
    depth:
        How far along a chain of failures the part is: of messages of one log, one follows from an
        earlier one of a part that is less deep, or equally deep below 0. None for what has nothing
        to do with others.
    """

    wrong: str
    place: re.Pattern[str] | None
    words: re.Pattern[str] | None
    depth: int | None = 0

    def has(self, place: str, message: str) -> bool:
        """Whether a message is of this part."""
        if self.place is None and self.words is None:
            return True
        if self.place is not None and place and self.place.search(place):
            return True
        return self.words is not None and bool(self.words.search(message))


def part(wrong: str, words: str = "", place: str = "", depth: int | None = 0) -> Part:
    """A part by expressions, without regard to case."""
    return Part(
        wrong,
        re.compile(place, re.IGNORECASE) if place else None,
        re.compile(words, re.IGNORECASE) if words else None,
        depth,
    )


def follows(parts: Iterable[Part], later: str, earlier: str) -> bool:
    """Whether a cause is a consequence of an earlier one of the same log, by the parts that both
    name; also if one of them names none.
    """
    known = tuple(parts)
    one, before = (
        next((p for p in known if p.wrong in cause), None) for cause in (later, earlier)
    )
    if one is None or before is None or one is before:
        return True
    if one.depth is None or before.depth is None:
        return False
    return before.depth < one.depth or before.depth == one.depth > 0


_QUOTED: Final = re.compile(
    r"\"[^\"\n]{0,300}\"|(?<!\w)'[^'\n]{0,300}'(?!\w)|`[^`'\n]{0,300}['`]|\w+://\S+"
)
_OF_USERS: Final = re.compile(
    # Folders of the system are words about it, those of users and of file systems are not.
    r"(?<![\w.:/-])/(?!(?:dev|etc|opt|proc|run|sys|usr|var)/)[\w.+@%-]+(?:/[\w.+@%-]*)*"
)
_NAMED: Final = re.compile(r"\b(?:[a-z][a-z\d.]*-)+(?:st-|dy-)?(?:\d+|\[[\d,-]+\])(?![\w/])")
_GIVEN: Final = re.compile(
    r"\b((?:reason|comment)(?: set to)?[:=]).*|\b([A-Za-z_]+=)(?!\()[^\s,):]+", re.IGNORECASE
)


def own_words(message: str) -> str:
    """A message without what it only repeats: quotations, values, URLs, names of nodes and paths
    of users, whose words say nothing about the message.
    """
    said = _OF_USERS.sub("/", _QUOTED.sub('""', message))
    return _NAMED.sub("x", _GIVEN.sub(lambda m: m[1] or m[2], said))


ERRNO: Final = (
    (r"No space left on device|\bENOSPC\b", "the disk is full"),
    (r"Disk quota exceeded", "a disk quota is used up"),
    (r"Read-only file system", "the file system is read-only"),
    (r"Cannot allocate memory|\bENOMEM\b|out of memory", "memory is used up"),
    (r"Permission denied|\bEACCES\b", "it has no permission"),
    (
        r"Operation not permitted|\bEPERM\b",
        "it does not have the privilege (root or a capability)",
    ),
    (
        r"No such (?:file or directory|device)|\bENOENT\b|\bENODEV\b",
        "the file, folder or device does not exist",
    ),
    (
        r"Connection refused|\bECONNREFUSED\b",
        "nothing listens at the other end, or a firewall answers",
    ),
    (
        r"Connection timed out|No route to host|(?:Network|Host) is (?:unreachable|down)|"
        r"\bE(?:TIMEDOUT|HOSTUNREACH|NETUNREACH)\b",
        "the other end is not reached",
    ),
    (
        r"Connection (?:reset|aborted)|Broken pipe|Transport endpoint is not connected|"
        r"\bECONNRESET\b",
        "the other end closed the connection",
    ),
    (r"Address already in use|\bEADDRINUSE\b", "another process has the port or address"),
    (
        r"Cannot assign requested address|\bEADDRNOTAVAIL\b",
        "the host does not have the address",
    ),
    (r"Too many open files|\bEMFILE\b|\bENFILE\b", "the limit of open files is reached"),
    (
        r"Resource temporarily unavailable|\bEAGAIN\b",
        "a limit of processes or memory is reached, or it is busy for a while",
    ),
    (r"Device or resource busy|Text file busy|\bEBUSY\b", "another process uses it"),
    (
        r"Input/output error|Remote I/O error|Stale (?:NFS )?file handle|\bEIO\b|\bESTALE\b",
        "the file system or the device does not answer",
    ),
    (
        r"Function not implemented|Operation not supported|Protocol not (?:available|supported)|"
        r"\bE(?:NOSYS|OPNOTSUPP)\b",
        "the kernel, file system or library here does not have this function",
    ),
    (r"No locks available|\bENOLCK\b", "the file system gives no locks"),
    (r"File exists|\bEEXIST\b", "it exists already"),
    (r"Bad address|Bad file descriptor|\bEFAULT\b|\bEBADF\b", "a fault of the program"),
    (r"Exec format error", "it is built for another processor, or is no program"),
    (r"Invalid argument|\bEINVAL\b", "the kernel or a library does not accept the values"),
    (r"No data available|\bENODATA\b", "nothing was found"),
    (
        r"Name or service not known|name resolution|Unknown host",
        "the name cannot be resolved (DNS)",
    ),
    (r"\btimed? ?out\b|\bdeadline", "there was no answer in time"),
)
"""Texts of errno (errno(3)) and what they say, in the order in which they are tried."""

_COMPILED: Final = tuple((re.compile(words, re.IGNORECASE), said) for words, said in ERRNO)


def reason(message: str) -> str | None:
    """What the system answered, by the text of an errno; None without one."""
    return next((said for words, said in _COMPILED if words.search(message)), None)


def wrong_part(parts: Iterable[Part], message: str, place: str = "") -> str | None:
    """What is wrong by the first part that has a message; None if none has it."""
    return next((one.wrong for one in parts if one.has(place, message)), None)


def whole(said: str, message: str) -> str:
    """What is wrong, what the system answered, and the message."""
    text = " ".join(message.split())[:_LONGEST]
    answer = reason(text)
    return f"{said}: {answer + ': ' if answer and answer not in said else ''}{text}"
