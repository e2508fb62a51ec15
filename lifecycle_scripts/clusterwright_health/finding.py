"""The result of a check."""

from __future__ import annotations

from dataclasses import dataclass

REMEDIES = ("heals", "reset", "reboot", "replace")
"""What resolves a finding, least disruptive first: the end of its cause, a reset of the device,
a reboot, another instance.
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
