"""What a check says."""

from __future__ import annotations

from dataclasses import dataclass

REMEDIES = ("heals", "reset", "reboot", "replace")
"""What ends a finding, mildest first: by itself when its cause is gone, a reset of the device, a
reboot, another instance.
"""


@dataclass(frozen=True)
class Finding:
    """One reason why no job should run here."""

    check: str
    cause: str
    remedy: str = "heals"

    @property
    def text(self) -> str:
        after = "" if self.remedy == "heals" else f" ({self.remedy})"
        return f"{self.check}: {self.cause}{after}"
