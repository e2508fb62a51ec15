"""Lines that show that a failure of a node's own services is over, and the lines that reported it.

Sources: systemd (job messages with the unit's name, as of 249; src/core/service.c), the messages
of chrony, SSSD's back ends and nvidia-persistenced; read 2026-11.
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis.literals import Expression

SERVICES: Final = (
    # A unit that was started after it failed runs; one that fails again is reported again.
    (
        Expression(
            r"\bsystemd(?:\[\d+\])?: (?:Started|Mounted|Finished) "
            r"(?P<unit>[^\s:]{1,120}\.(?:service|mount))\b"
        ),
        Expression(
            r"[^\s:]{1,120}\.(?:service|mount): (?:Failed |State '|Main process |Control process |"
            r"Mount process |start operation timed out)"
        ),
    ),
    (
        Expression(r"\bnvidia-persistenced(?:\[\d+\])?: Started \("),
        Expression(r"\bnvidia-persistenced\.service: (?:Failed |State '|Main process )"),
    ),
    (
        Expression(r"\bchronyd?(?:\[\d+\])?: (?:Selected source |System clock was stepped)"),
        Expression(
            r"\bchronyd?(?:\[\d+\])?: (?:Can't synchroni[sz]e|No selectable|System clock wrong)",
            re.IGNORECASE,
        ),
    ),
    (
        Expression(r"\bsssd[^\n]*\bBackend is online\b", re.IGNORECASE),
        Expression(
            r"\bsssd[^\n]*(?:\boffline\b|Failed to connect|Can't contact|no servers? available)",
            re.IGNORECASE,
        ),
    ),
)
"""What ends a report, and the reports; a `unit` is the one that both name."""
