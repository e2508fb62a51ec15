"""Lines that say that a job failed."""

from __future__ import annotations

import pytest

from clusterwright.job_logs import read_log


@pytest.mark.parametrize(
    ("line", "text", "time"),
    [
        (
            "slurmstepd: error: *** JOB 4711 ON workers-3 CANCELLED AT 2025-10-30T14:32:58 DUE TO "
            "NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
            "node failure",
            1761834778.0,
        ),
        (
            "slurmstepd: error: *** STEP 4711.0 ON workers-3 CANCELLED AT 2025-10-30T14:32:58 DUE "
            "TO TIME LIMIT ***",
            "time limit",
            1761834778.0,
        ),
        (
            "slurmstepd: error: *** JOB 4711 ON w CANCELLED AT 2025-10-30T14:32:58 ***",
            "cancelled",
            1761834778.0,
        ),
        ("[rank3]: Traceback (most recent call last):", "Python exception", None),
        ("[rank3]: torch.OutOfMemoryError: CUDA out of memory.", "out of memory", None),
        ("srun: error: w-1: task 3: Killed", "srun: error: w-1: task 3: Killed", None),
    ],
)
def test_failures(line: str, text: str, time: float | None) -> None:
    (event,) = read_log(line + "\n").events
    assert (event.kind, event.text, event.time) == ("error", text, time)
