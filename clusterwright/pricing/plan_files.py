"""Reads the plan that `clusterwright plan --write configs/NAME.yaml` saves as `NAME.plan.json`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clusterwright import files

HOURS_PER_DAY = 24


class InvalidPlan(Exception):
    """The recorded plan is not an output of `clusterwright plan`."""


def plan_beside(config: Path) -> Mapping[str, Any] | None:
    """The plan recorded beside a spec; None where there is none.

    Raises
    ------
    InvalidPlan
        It cannot be read.
    """
    path = plan_path(config)
    if not path.is_file():
        return None
    try:
        found = json.loads(files.read_text(path))
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidPlan(f"{path.name} cannot be read: {reason}") from None
    if not isinstance(found, Mapping) or found.get("command") != "plan":
        raise InvalidPlan(f"{path.name} is not an output of `clusterwright plan`")
    return found


def plan_path(config: Path) -> Path:
    """Path of the plan of a spec."""
    return config.with_name(f"{config.stem}.plan.json")


def run_hours(plan: Mapping[str, Any]) -> int | None:
    """Hours that `plan --write` writes to the spec: the P90, in whole days; None if missing."""
    estimate = plan.get("estimate")
    days = estimate.get("days") if isinstance(estimate, Mapping) else None
    p90 = days.get("p90") if isinstance(days, Mapping) else None
    if isinstance(p90, bool) or not isinstance(p90, (int, float)):
        return None
    if not math.isfinite(p90) or p90 <= 0:
        return None
    return math.ceil(p90) * HOURS_PER_DAY
