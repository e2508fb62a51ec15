"""Former name of `clusterwright_rehearsal.scenario_api.faults`, for existing scenario files."""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.faults import *  # noqa: F403
