"""The result of a test at boot, as the comment of the node in Slurm.

A node of ParallelCluster tests itself before slurmd starts; the controller reads the comment
(`scontrol show nodes`) and keeps the result. `clusterwright acceptance: rejected quick
2026-11-27T14:00:00Z i-0abc replace gpu-count: 7 of 8 GPUs`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Optional

PREFIX = "clusterwright acceptance: "
MOST_LETTERS = 400
_NONE = "-"
_FORM = re.compile(
    re.escape(PREFIX)
    + r"(accepted|rejected|unknown) ([a-z]+) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) (i-[0-9a-f]+|-)"
    r" ([a-z]+)(?: (.*))?"
)


def written(result: Mapping[str, Any]) -> str:
    """The comment of a result of `clusterwright_acceptance.node_run`."""
    words = [
        str(result["verdict"]),
        str(result["level"]),
        str(result["ended_at"]),
        str(result.get("instance_id") or _NONE),
        str(result["action"]),
        # `Key=` would begin the next field of `scontrol --oneliner`.
        " ".join(str(result["reason"]).replace("=", ":").split()),
    ]
    return (PREFIX + " ".join(words).strip())[:MOST_LETTERS]


def read(comment: str) -> Optional[dict[str, Any]]:
    """Verdict, level, time, instance, action and reason; None for any other comment."""
    found = _FORM.fullmatch(comment)
    if found is None:
        return None
    verdict, level, at, instance, action, reason = found.groups()
    return {
        "verdict": verdict,
        "level": level,
        "ended_at": at,
        "instance_id": None if instance == _NONE else instance,
        "action": action,
        "reason": reason or "",
    }
