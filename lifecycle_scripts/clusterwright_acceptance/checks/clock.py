"""The clock: synchronised, and within a tenth of a second.

Munge refuses credentials of a node whose clock is wrong; logs of several nodes cannot be compared.
"""

from __future__ import annotations

import re
from typing import Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance import running
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.outcome import Outcome, failed, passed

ID = "clock"
LARGEST_SECONDS = 0.1
SOURCE = "our rule"

_OFFSET = re.compile(r"^System time\s*:\s*([0-9.]+) seconds (?:slow|fast)", re.MULTILINE)


def applies(expected: Expected) -> Optional[str]:
    return None


def look(probe: Probe, expected: Expected) -> Outcome:
    if not probe.has("chronyc"):
        timedatectl = running.program(probe, expected, "timedatectl")
        text = running.output(
            probe, [timedatectl, "show", "--property=NTPSynchronized", "--value"], 10.0
        )
        if text.strip() == "yes":
            return passed()
        return failed("the clock is not synchronised", "reboot")
    text = running.output(probe, ["chronyc", "-n", "tracking"], 10.0)
    status = re.search(r"^Leap status\s*:\s*(.+?)\s*$", text, re.MULTILINE)
    if status is None:
        raise running.Unreadable("the output of chronyc has an unknown form")
    if status.group(1) == "Not synchronised":
        return failed("the clock is not synchronised", "reboot")
    offset = _OFFSET.search(text)
    if offset is None:
        return passed()
    value = float(offset.group(1))
    shown = {"value": value, "floor": None, "unit": "s", "source": SOURCE}
    if value > LARGEST_SECONDS:
        return failed(f"the clock is off by {value:.3f} s", "reboot", **shown)
    return Outcome("pass", **shown)  # type: ignore[arg-type]
