"""Which lines of a long log are kept before its end: those that may be evidence of a finding.

Most of the log of a large job is progress, and a cause often stands at its beginning. So all lines
are read, and memory is bounded by the number of those that are kept.
"""

from __future__ import annotations

from typing import Final

from clusterwright.diagnosis.engine import may_report
from clusterwright.diagnosis.model import Evidence

MOST_LINES: Final = 50_000
"""At most 2000 characters each."""


class EarlyLines:
    """Chooses lines of one log; `without_room` counts those that are more than the most."""

    def __init__(self, most: int = MOST_LINES) -> None:
        self._left = most
        self._nodes: set[str] = set()
        self.without_room = 0

    def keeps(self, line: Evidence) -> bool:
        """Whether a line is kept: also the first of each node, which shows that it exists."""
        is_known = not line.node or line.node in self._nodes
        if is_known and not may_report(line):
            return False
        if self._left == 0:
            self.without_room += 1
            return False
        self._left -= 1
        self._nodes.add(line.node)
        return True
