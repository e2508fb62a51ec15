"""Former name of `clusterwright_rehearsal.scenario_api.context`, for existing scenario files."""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.context import (
    Broken,
    CannotTell,
    Job,
    Node,
    NotForThis,
    ProgramRun,
    Stage,
)

__all__ = ["Broken", "CannotTell", "Job", "Node", "NotForThis", "ProgramRun", "Stage"]
