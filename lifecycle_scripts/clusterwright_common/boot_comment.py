"""The result of a test at boot, as the comment of the node in Slurm.

A node of ParallelCluster tests itself before slurmd starts; the controller reads the comment
(`scontrol show nodes`) and keeps the result. `clusterwright acceptance: rejected quick
2026-11-27T14:00:00Z i-0abc replace gpu-count: 7 of 8 GPUs`. Earlier results follow after ` | `:
the next instance of the node may report before the controller has read the comment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

PREFIX = "clusterwright acceptance: "
MOST_LETTERS = 400
MOST_RESULTS = 3
_BETWEEN = " | "
_NONE = "-"
_FORM = re.compile(
    re.escape(PREFIX)
    + r"(accepted|rejected|unknown) ([a-z]+) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) (i-[0-9a-f]+|-)"
    r" ([a-z]+)(?: (.*))?"
)


def written(result: Mapping[str, Any], before: str = "") -> str:
    """The comment of a result of `clusterwright_acceptance.node_run`, after the comment `before`.

    A comment of others is replaced.
    """
    words = [
        str(result["verdict"]),
        str(result["level"]),
        str(result["ended_at"]),
        str(result.get("instance_id") or _NONE),
        str(result["action"]),
        # `Key=` would begin the next field of `scontrol --oneliner`.
        " ".join(str(result["reason"]).replace("=", ":").replace("|", "/").split()),
    ]
    text = (PREFIX + " ".join(words).strip())[:MOST_LETTERS].strip()
    earlier = [part for part in before.split(_BETWEEN) if _FORM.fullmatch(part)]
    return _BETWEEN.join([text, *earlier][:MOST_RESULTS])


def read(comment: str) -> list[dict[str, Any]]:
    """Verdict, level, time, instance, action and reason of each result, the oldest first."""
    matches = [_FORM.fullmatch(part) for part in comment.split(_BETWEEN)]
    return [_result(match) for match in reversed(matches) if match is not None]


def _result(match: re.Match[str]) -> dict[str, Any]:
    verdict, level, at, instance, action, reason = match.groups()
    return {
        "verdict": verdict,
        "level": level,
        "ended_at": at,
        "instance_id": None if instance == _NONE else instance,
        "action": action,
        "reason": reason or "",
    }
