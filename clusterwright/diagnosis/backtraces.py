"""Backtraces of native programs: the functions of all frames on one line.

A frame of glibc, UCX or Open MPI is a line such as `[ 1] /lib/lib.so.40(MPI_Init+0x9b)[0x7f2d]`.
What crashed is often known only from a frame and those that called it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_FRAME: Final = re.compile(
    r"\((?P<function>\w{0,200})\+0x[0-9a-f]{1,16}\)(?: ?\[0x[0-9a-f]{1,16}\])?\s*$"
)
_RANK: Final = re.compile(r"^(?:\[[^\]\s]{1,80}\]\s?(?:<std(?:out|err)>:)?|\d{1,5}: )")
_MOST_FRAMES: Final = 60
_MOST_RANKS: Final = 1000
HEAD: Final = "backtrace: "


class Backtraces:
    """Reads lines in order; the frames of one rank may stand between lines of others."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[int, list[str]]] = {}

    def read(self, text: str, number: int) -> Iterator[tuple[str, int]]:
        """Yield the backtrace that a line ends: its text, and the number of its first line."""
        # A name has at most 200 characters, and a frame stands at the end of its line.
        end = text[-300:]
        frame = _FRAME.search(end) if "+0x" in end else None
        if frame is None and not self._open:
            return
        label = _RANK.match(text)
        rank = label[0] if label is not None else ""
        if frame is None:
            if rank in self._open:
                yield from self._ended(rank)
            return
        if rank not in self._open and len(self._open) >= _MOST_RANKS:
            yield from self._ended(next(iter(self._open)))
        _, functions = self._open.setdefault(rank, (number, []))
        if frame["function"] and len(functions) < _MOST_FRAMES:
            functions.append(frame["function"])

    def end(self) -> Iterator[tuple[str, int]]:
        """Yield the backtraces that the last line ends."""
        for rank in tuple(self._open):
            yield from self._ended(rank)

    def _ended(self, rank: str) -> Iterator[tuple[str, int]]:
        number, functions = self._open.pop(rank)
        if len(functions) > 1:
            yield HEAD + " < ".join(functions), number
