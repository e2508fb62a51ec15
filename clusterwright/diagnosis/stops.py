"""Leases that controllers give back because they were asked to end, which are not lost.

A controller stops to lead when it is ended too, by an update or a drain of its node, and many
write the same words then as if another one had taken its lease. Sources: client-go
(tools/leaderelection), controller-runtime (pkg/manager, pkg/manager/signals); read 2026-11.
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis.literals import Expression

_ASKED: Final = Expression(
    r"\b(?:received|caught|got|handling)\b[^\n]{0,40}\bSIG(?:TERM|INT)\b|"
    r"\bSIG(?:TERM|INT)\b[^\n]{0,20}\breceived\b|"
    r"\bsignal\b[^\n]{0,20}\b(?:terminated|interrupt|SIG(?:TERM|INT))\b|"
    r"Received termination, signaling shutdown|Requested to terminate, exiting|"
    r"failed to renew lease\b[^\n]{1,200}context cancell?ed",
    re.IGNORECASE,
)
_LEADS: Final = Expression(
    r"attempting to acquire leader lease|successfully acquired lease", re.IGNORECASE
)
"""What follows a new start."""

_LOST: Final = Expression(
    r"stopped leading|leader ?election lost|failed to renew lease|failed to update lock",
    re.IGNORECASE,
)
_WRITER: Final = re.compile(
    # The name of a pod and its container, as `kubectl logs --prefix` and Stern write them.
    r"^(?:\[pod/[^\]\s]{1,300}\]|[\w.-]{1,253} [\w.-]{1,63}(?= [IWEF]\d{4} ))"
)


class Stops:
    """Which controllers of a log were asked to end, line by line."""

    def __init__(self) -> None:
        self._asked: set[str] = set()

    def is_part(self, text: str, lowered: str, host: str) -> bool:
        """Whether a line of a host says that a controller, which was asked to end, does not lead
        any more; `lowered` is its text in lower case.
        """
        lost = self._asked and _LOST.search(text, lowered)
        asks = _ASKED.search(text, lowered)
        if not (lost or asks) and not (self._asked and _LEADS.search(text, lowered)):
            return False
        found = _WRITER.match(text)
        writer = f"{host} {found.group() if found else ''}"
        if lost and writer in self._asked:
            return True
        if asks:
            self._asked.add(writer)
        elif not lost:
            self._asked.discard(writer)
        return False
