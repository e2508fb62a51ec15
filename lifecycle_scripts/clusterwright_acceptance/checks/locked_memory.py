"""Locked memory: at least 16 GiB, else NCCL and EFA fail.

The limit is slurmd's, without that of the submitting process (`--propagate=NONE`). Users' jobs may
have less where Slurm passes on the limit of their shells; the node program's step `limits` raises
it there.
"""

from __future__ import annotations

from typing import Optional

from clusterwright_common.probe import Probe

from clusterwright_acceptance import running
from clusterwright_acceptance.expected import Expected
from clusterwright_acceptance.outcome import Outcome, failed

ID = "locked-memory"
FLOOR_GIB = 16.0
SOURCE = "awsome-distributed-ai, gpu-cluster-healthcheck (2026-07-23)"


def applies(expected: Expected) -> Optional[str]:
    if expected.kind != "none" or expected.efa:
        return None
    return "the group has neither accelerators nor EFA"


def look(probe: Probe, expected: Expected) -> Outcome:
    bash = running.program(probe, expected, "bash")
    text = running.output(probe, [bash, "-c", "ulimit -l"], 10.0).strip()
    if text == "unlimited":
        return Outcome("pass", floor=FLOOR_GIB, unit="GiB", source=SOURCE)
    if not text.isdigit():
        raise running.Unreadable(f"ulimit -l prints {text!r}")
    gib = int(text) / 2**20
    shown = {"value": gib, "floor": FLOOR_GIB, "unit": "GiB", "source": SOURCE}
    if gib < FLOOR_GIB:
        return failed(f"ulimit -l allows {gib:.3g} GiB", "report", **shown)
    return Outcome("pass", **shown)  # type: ignore[arg-type]
