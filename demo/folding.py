"""Shortens a transcript: omits progress lines, and the middle of long outputs."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence

_UNREAD = re.compile(
    # CloudFormation's events, one line per resource and state; failures are shown.
    r"\| (?:CREATE|UPDATE|DELETE|REVIEW|ROLLBACK)\w*_(?:IN_PROGRESS|COMPLETE)\w* +\|"
    # Every asset, four times.
    r"|(?:^|: )(?:start|success): (?:Building|Built|Publishing|Published) "
    r"|^Hold on while we create a read-only change set "
    r"|: (?:creating CloudFormation changeset|deploying|destroying)\.\.\."
    # Exports between stacks, with names that the CDK generates.
    r"|^[\w-]+\.ExportsOutput\w+ = "
    r"|^Stack ARN:$|^arn:aws[\w-]*:cloudformation:"
)
_HEADER = "Outputs:"


class Folding:
    """Filters the output lines of one command."""

    def __init__(self) -> None:
        self.left_out = 0
        self._held_header: str | None = None
        self._blank = True

    def shown(self, line: str) -> str:
        """The text to print for `line`, which may be empty."""
        bare = line.strip()
        if _UNREAD.search(bare):
            self.left_out += 1
            return ""
        if bare == _HEADER:
            # Printed with the first output, if there is one.
            self._held_header = line
            return ""
        if not bare:
            # At most one empty line, and none at the beginning.
            before, self._blank = self._blank, True
            return "" if before else line
        self._blank = False
        header, self._held_header = self._held_header, None
        is_output = re.match(r"[\w-]+\.\w+ = ", bare) is not None
        return f"{header}{line}" if header and is_output else line


_FIRST, _LAST = 6, 6


class Excerpt:
    """The first and last lines of an output, and those that contain one of the texts `kept`."""

    def __init__(self, kept: Sequence[str] = ()) -> None:
        self.left_out = 0
        self._kept = kept
        self._count = 0
        self._waiting: deque[str] = deque()
        self._gap = False

    def shown(self, text: str) -> str:
        """The text to print now for `text`, a line or an empty string."""
        if not text:
            return ""
        self._count += 1
        if self._count <= _FIRST:
            return text
        if any(words in text for words in self._kept):
            return self._with_gap() + text
        self._waiting.append(text)
        if len(self._waiting) > _LAST:
            self._drop(1)
        return ""

    def rest(self) -> str:
        """The text to print at the end of the output."""
        gap, self._gap = self._gap, False
        return ("  ...\n" if gap else "") + "".join(self._waiting)

    def _with_gap(self) -> str:
        self._drop(len(self._waiting))
        gap, self._gap = self._gap, False
        return "  ...\n" if gap else ""

    def _drop(self, count: int) -> None:
        for _ in range(count):
            self._waiting.popleft()
            self.left_out += 1
            self._gap = True
