"""Lines that show that a failure of a node's own services is over, and the lines that reported it.

Sources: systemd (src/core/job.c, src/core/service.c), the messages of chrony, SSSD's back ends,
the SSM agent and nvidia-persistenced, conditions of Volcano's PodGroups; read 2026-11.
"""

from __future__ import annotations

import re
from typing import Final

from clusterwright.diagnosis.literals import Expression

GANGS: Final = (
    # A PodGroup keeps the condition that it had no place, and gets another one when it has.
    Expression(
        r"tasks in gang are ready to be scheduled|^\"?phase\"?:\s+\"?Running\"?,?$", re.IGNORECASE
    ),
    Expression(r"tasks in gang unschedulable"),
)
"""What ends such a report, and the reports."""

SERVICES: Final = (
    # A unit that was started after it failed runs; one that fails again is reported again.
    (
        Expression(
            r"\bsystemd(?:\[\d+\])?: (?:Started|Mounted|Finished) "
            r"(?:(?P<unit>[^\s:]{1,120}\.(?:service|mount))\b|(?P<title>[^\n]{1,200}?)\.?$)"
        ),
        Expression(
            r"(?P<unit>[^\s:]{1,120}\.(?:service|mount)): (?:Failed |State '|Main process |"
            r"Control process |Mount process |start operation timed out|Scheduled restart)"
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
        # The agent dials again without end.
        Expression(
            r"\bssm-[^\n]*?\bSuccessfully (?:opened websocket connection to|"
            r"reconnected (?:with controlchannel|to datachannel))\b"
        ),
        Expression(
            r"\bssm-[^\n]*?(?:\bwebsocket: (?:close \d{4}|bad handshake)|"
            r"\bFailed to dial websocket\b|\bReach the retry limit \d+ for receive messages|"
            r"failed to (?:reconnect|initiali[sz]e websocket|open)[^\n]{0,60}\bcontrol ?channel)"
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
"""What ends a report, and the reports; a `unit` is the one that both name. Systemd before 250
names a unit by the `title` of its file there, and so do later ones with StatusUnitFormat.
"""

TITLE: Final = re.compile(
    r"\bsystemd(?:\[\d+\])?: (?:Stopped|Failed to (?:start|mount)) (?P<title>[^\n]{1,200}?)\.?$"
)
"""The title of a unit, in the line after one that names the unit and says that it failed."""
