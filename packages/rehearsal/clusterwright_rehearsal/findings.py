"""Results that a rehearsal collects for its verdict."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from clusterwright_rehearsal.verdict import Phase, Promise, Skipped


@dataclass
class Findings:
    """Promises, durations, skipped scenarios and notes."""

    promises: list[Promise] = field(default_factory=list)
    phases: list[Phase] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @contextlib.contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Measure the duration of the `with` block."""
        began, started = time.time(), time.monotonic()
        try:
            yield
        finally:
            self.phases.append(Phase(name, time.monotonic() - started, began))
