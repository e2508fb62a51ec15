"""Former names of `scenario_api.jobs`, for scenario files that use them."""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.jobs import CountingJob as Counting
from clusterwright_rehearsal.scenario_api.jobs import start_counting as counting
from clusterwright_rehearsal.scenario_api.jobs import submit_to_node as on_node

__all__ = ["Counting", "counting", "on_node"]
