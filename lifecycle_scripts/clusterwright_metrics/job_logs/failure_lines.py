"""Lines of Slurm, Python and PyTorch that say that a job failed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from clusterwright_metrics.job_logs.events import Event
from clusterwright_metrics.job_logs.log_text import Line, stamp

WORDS: Final = ("Traceback", "slurmstepd: error", "srun: error", "OutOfMemoryError", "CANCELLED")

_CANCELLED: Final = re.compile(
    r"\*\*\* (?:JOB|STEP) \S+ ON \S+ (?:CANCELLED|FAILED)(?:\s.*)? AT (\S+)(?: DUE TO ([\w ]+))?"
)


def events(line: Line) -> Iterator[Event]:
    """The failure that the line reports."""
    text = line.text
    if found := _CANCELLED.search(text):
        reason = (found.group(2) or "cancelled").strip().lower()
        yield Event("error", line.number, stamp(found.group(1)) or line.time, text=reason)
    elif "Traceback (most recent call last)" in text:
        yield Event("error", line.number, line.time, text="Python exception")
    elif "OutOfMemoryError" in text:
        yield Event("error", line.number, line.time, text="out of memory")
    elif "slurmstepd: error" in text or "srun: error" in text:
        yield Event("error", line.number, line.time, text=text.strip()[:200])
