"""Frames of tracebacks that rich prints: in a box, at whose width names of files are cut."""

from __future__ import annotations

import re
from typing import Final

_BOX: Final = re.compile(r"(?P<prefix>[^│╭╰]{0,80})(?:│(?P<inner>[^\n]*)│\s*$|[╭╰]─)")
_CODE: Final = re.compile(r"(?:❱\s*)?\d{1,6} │")
_FRAME: Final = re.compile(r"(?P<file>/[^\n:]{1,400}):\d{1,6} in (?P<function>[\w.<>]{1,120})$")
_LONGEST: Final = 500
_MOST: Final = 256


class Boxes:
    """Follows the boxes of a log, line by line; each process has its own prefix."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def read(self, line: str) -> tuple[str, str, str] | None:
        """The prefix of a line of a box, and the file and function of a frame if it ends one, else
        empty; None for lines outside of boxes.
        """
        found = _BOX.match(line)
        if found is None:
            return None
        prefix, inner = found["prefix"].rstrip(), (found["inner"] or "").strip()
        name = self._names.pop(prefix, "")
        if not inner or _CODE.match(inner):
            return prefix, "", ""
        if inner.startswith("/"):
            name = inner
        elif name:
            name += f" {inner}" if inner.startswith("in ") else inner
        frame = _FRAME.match(name)
        if frame is not None:
            return prefix, frame["file"], frame["function"]
        if name and len(name) < _LONGEST and len(self._names) < _MOST:
            self._names[prefix] = name
        return prefix, "", ""
