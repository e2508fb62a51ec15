"""Former name of `clusterwright_rehearsal.scenario_api.jobs`, for existing scenario files."""

from __future__ import annotations

from clusterwright_rehearsal.scenario_api.jobs import *  # noqa: F403
