"""Objects of JSON that stand on several lines, as the one line that programs write elsewhere.

jq, kubectl, AWS's CLI and Ansible print an object with each of its fields on a line of its own.
What one field says is then without the others that say what it is about: its level, its program,
the resource. Such an object is read as one line, with what stands before it on its first one.
"""

from __future__ import annotations

import json
import re
from typing import Final, Generic, TypeVar

_OPENS: Final = re.compile(
    r"^(?P<indent>\s*)(?P<before>[^\s{][^{]{0,300}?(?:=>|[:=\t ])\s*)?\{\s*$"
)
_GOES_ON: Final = re.compile(r"^\s*(?:\"|[{}\[\]]|-?\d|true\b|false\b|null\b)")
_LONGEST: Final = 2000
_MOST: Final = 100

_Line = TypeVar("_Line")


class Objects(Generic[_Line]):
    """Reads lines in order, and holds those of an object back until it is whole."""

    def __init__(self) -> None:
        self._held: list[tuple[str, _Line]] = []
        self._indent = ""

    def read(self, text: str, line: _Line) -> list[tuple[str, _Line]]:
        """The lines that can be used now, each with its text."""
        if self._held:
            if _GOES_ON.match(text) and len(self._held) < _MOST:
                self._held.append((text, line))
                return self._whole() if self._closes(text) else []
            return [*self.end(), *self.read(text, line)]
        opens = _OPENS.match(text) if text.rstrip().endswith("{") else None
        if opens is None:
            return [(text, line)]
        self._indent = opens["indent"]
        self._held = [(text, line)]
        return []

    def end(self) -> list[tuple[str, _Line]]:
        """The lines that are held back."""
        held, self._held = self._held, []
        return held

    def _closes(self, text: str) -> bool:
        return text.rstrip().rstrip(",") == f"{self._indent}}}"

    def _whole(self) -> list[tuple[str, _Line]]:
        """The object as one line; its lines, if they are none, or one that is too long."""
        held = self.end()
        before = held[0][0].rstrip()[:-1]
        body = "\n".join(("{", *(text for text, _ in held[1:]))).rstrip().rstrip(",")
        try:
            compact = before + json.dumps(json.loads(body))
        except (ValueError, RecursionError):
            return held
        return held if len(compact) > _LONGEST else [(compact, held[0][1])]
