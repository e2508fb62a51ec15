"""Tracebacks of Python in a log: which exception ended a program, and in which frames.

A log has the lines of many processes, each with a prefix of its own (`[rank3]:`, a host, a pod),
and logs are cut: a traceback may lack its first line, and its frames are then its first lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from clusterwright.diagnosis.rich_tracebacks import Boxes

LONGEST_MESSAGE: Final = 600

_START: Final = "Traceback (most recent call last)"
_BOX: Final = re.compile("[│╭╰]")
_FRAME: Final = re.compile(
    r'File "(?P<file>[^"\n]{1,400})", line \d{1,6}(?:, in (?P<function>[\w.<>]{1,120}))?'
)
_EXCEPTION: Final = re.compile(
    r"(?P<name>(?:[A-Za-z_]\w{0,80}\.){0,8}[A-Za-z_]\w{0,80})(?:\((?P<inner>\w{1,80})\))?"
    r"(?::\s?(?P<message>[^\n]*))?"
)
_CLASS: Final = re.compile(
    r"(?:Error|Exception|Exit|Interrupt|Warning|Timeout|Fault|Failure|Failed|Expired|Empty|Full|"
    r"NotFound|Invalid|Denied|Closed|Iteration|Abort|Aborted|Cancelled)$|^[a-z_]\w*\..*[A-Z]"
)
_LAST: Final = re.compile(
    r"(?<![\w.])(?P<name>(?:[A-Za-z_]\w{0,80}\.){0,8}[A-Z]\w{0,80}(?:Error|Exception)): "
)
"""An exception with its message, after the frames of a traceback in one line."""
_RAISES: Final = re.compile(r"\s+raise\s")
"""Code that raises has the words of the message, with the names of variables for their values."""
_IGNORED: Final = "Exception ignored in"
_MOST_BLOCKS: Final = 256
_MOST_FRAMES: Final = 40
_INSTALLED: Final = re.compile(r"(?:site|dist)-packages/(?P<path>[^\n]{1,300})$")
_STANDARD: Final = re.compile(r"/lib(?:64)?/python\d(?:\.\d+)?/(?!(?:site|dist)-packages)|^<")


@dataclass(frozen=True)
class Frame:
    """A frame: its file, function, and the installed package that it belongs to, else empty."""

    file: str
    function: str

    @property
    def package(self) -> str:
        found = _INSTALLED.search(self.file)
        return found.group("path").partition("/")[0].removesuffix(".py") if found else ""

    @property
    def is_standard(self) -> bool:
        """Whether it is of Python itself."""
        return bool(_STANDARD.search(self.file))

    @property
    def name(self) -> str:
        """Its file as users know it: without the path of the environment."""
        found = _INSTALLED.search(self.file)
        return found.group("path") if found else "/".join(self.file.split("/")[-2:])


class Tracebacks:
    """Follows the tracebacks of a log, line by line."""

    def __init__(self) -> None:
        self._blocks: dict[str, list[str]] = {}
        self._ignored: set[str] = set()
        self._framed: str | None = None
        self._code: dict[str, str] = {}
        self._boxes = Boxes()
        self.raises = False
        """Whether the line that was read is the code of a frame that raises."""

    def read(self, line: str) -> Mapping[str, str]:
        """`exception`, `message`, `frames` and `code` if the line ends a traceback; else empty.

        `code` is the statement of the innermost frame, empty where the log does not have it.
        """
        framed, self._framed = self._framed, None
        boxed = self._boxes.read(line) if _BOX.search(line) else None
        if boxed is not None:
            return self._boxed(line, *boxed)
        if framed is not None and line.startswith(framed) and framed in self._blocks:
            self._code[framed] = line[len(framed) :].strip()[:LONGEST_MESSAGE]
        self.raises = (
            framed is not None
            and line.startswith(framed)
            and _RAISES.match(line[len(framed) :]) is not None
        )
        if _START in line and (whole := _whole(line)) is not None:
            return whole
        if 'File "' in line:
            frame = _FRAME.search(line)
            if frame is not None:
                block = self._block(line[: frame.start()].rstrip())
                block.append(f"{frame.group('file')}\t{frame.group('function') or ''}")
                del block[:-_MOST_FRAMES]
                self._framed = line[: frame.start()].rstrip()
                self._code.pop(self._framed, None)
                return {}
        if _IGNORED in line:
            # At the end of a program, of no effect: the traceback that follows is no failure.
            self._ignored.add(line.partition(_IGNORED)[0].rstrip())
            return {}
        if _START in line:
            prefix = line.partition(_START)[0].removesuffix("Original ").rstrip()
            self._block(prefix).clear()
            return {}
        return self._end(line) if self._blocks else {}

    def _boxed(self, line: str, prefix: str, file: str, function: str) -> Mapping[str, str]:
        """Follow the traceback in a box of rich, whose other lines are code."""
        if _START in line:
            self._block(prefix).clear()
        if file:
            block = self._block(prefix)
            block.append(f"{file}\t{function}")
            del block[:-_MOST_FRAMES]
        self.raises = bool(self._blocks.get(prefix)) and _RAISES.search(line) is not None
        return {}

    def _block(self, prefix: str) -> list[str]:
        if prefix not in self._blocks and len(self._blocks) >= _MOST_BLOCKS:
            oldest = next(iter(self._blocks))
            del self._blocks[oldest]
            self._code.pop(oldest, None)
        return self._blocks.setdefault(prefix, [])

    def _end(self, line: str) -> Mapping[str, str]:
        for prefix in sorted(self._blocks, key=len, reverse=True):
            if not line.startswith(prefix) or not self._blocks[prefix]:
                continue
            body = line[len(prefix) :].rstrip()
            body = body.removeprefix(" ") if prefix else body
            found = _EXCEPTION.fullmatch(body) if body and not body[0].isspace() else None
            if found is None or not _CLASS.search(found.group("name")):
                return {}
            frames, code = self._blocks.pop(prefix), self._code.pop(prefix, "")
            if prefix in self._ignored:
                self._ignored.discard(prefix)
                return {"ignored": "yes"}
            return {
                "exception": found.group("name"),
                "inner": found.group("inner") or "",
                "message": (found.group("message") or "").strip()[:LONGEST_MESSAGE],
                "frames": "\n".join(frames),
                "code": code,
            }
        return {}


def _whole(line: str) -> Mapping[str, str] | None:
    """A traceback that stands in one line, as in JSON and in the failure reasons of SageMaker."""
    rest = line.partition(_START)[2]
    frames = list(_FRAME.finditer(rest))
    ends = list(_LAST.finditer(rest, frames[-1].end())) if frames else []
    if not ends:
        return None
    return {
        "exception": ends[-1].group("name"),
        "inner": "",
        "message": " ".join(rest[ends[-1].end() :].split())[:LONGEST_MESSAGE],
        "frames": "\n".join(f"{f.group('file')}\t{f.group('function') or ''}" for f in frames),
    }


def frames_of(values: Mapping[str, str]) -> tuple[Frame, ...]:
    """The frames that `Tracebacks.read` found, the innermost last."""
    rows = (row.partition("\t") for row in values.get("frames", "").splitlines())
    return tuple(Frame(file, function) for file, _, function in rows if file)
