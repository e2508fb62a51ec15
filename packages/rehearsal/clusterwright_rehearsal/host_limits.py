"""A limit of this host that emulated nodes cannot raise, and with which none would be accepted.

With `acceptance.hold` no job starts on a node whose locked memory is limited, and this host's
limit is also that of the nodes. So the rehearsed spec waives the check, as an operator would.
"""

from __future__ import annotations

import copy
import resource
from collections.abc import Mapping
from typing import Any

from clusterwright_rehearsal import prerequisites

CHECK = "locked-memory"
REASON = "the host of the emulated node limits it"
FLOOR_KIB = 16 * 2**20
"""The floor of the check (`clusterwright_acceptance/checks/locked_memory.py`)."""


def waiver() -> dict[str, str]:
    return {"check": CHECK, "reason": REASON, "expires": "9999-12-31"}


def waived(data: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The spec with a waiver where the host has the limit, and a note about it."""
    result = copy.deepcopy(dict(data))
    acceptance = result.get("acceptance") or {}
    if not acceptance.get("hold") or not locked_memory_is_limited():
        return result, []
    acceptance["waivers"] = [*acceptance.get("waivers", []), waiver()]
    return result, [f"acceptance waives {CHECK}: {REASON}, without CAP_SYS_RESOURCE"]


def locked_memory_is_limited() -> bool:
    """Whether no process of this host can lock as much memory as the check requires.

    Source: setrlimit(2): the hard limit can be raised only with CAP_SYS_RESOURCE.
    """
    hard = resource.getrlimit(resource.RLIMIT_MEMLOCK)[1]
    enough = hard == resource.RLIM_INFINITY or hard >= FLOOR_KIB * 1024
    return not enough and not prerequisites.has_capability("CAP_SYS_RESOURCE")
