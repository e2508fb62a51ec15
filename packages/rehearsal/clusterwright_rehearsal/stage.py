"""Former names of `clusterwright_rehearsal.scenario_api`, for scenario files that use them."""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.context import ScenarioContext as Stage
from clusterwright_rehearsal.scenario_api.job import Job
from clusterwright_rehearsal.scenario_api.node import Node, ProgramRun
from clusterwright_rehearsal.scenario_api.outcomes import Broken
from clusterwright_rehearsal.scenario_api.outcomes import NotApplicable as NotForThis
from clusterwright_rehearsal.scenario_api.outcomes import Undetermined as CannotTell

__all__ = ["Broken", "CannotTell", "Job", "Node", "NotForThis", "ProgramRun", "Stage"]
