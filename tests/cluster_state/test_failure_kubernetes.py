"""What `diagnose` takes from the Kubernetes API."""

from __future__ import annotations

import datetime as dt

from clusterwright.cluster_state import failure_kubernetes
from clusterwright.cluster_state.published import SchedulerState
from clusterwright.diagnosis.model import Target

NOW = dt.datetime(2026, 11, 23, 8, tzinfo=dt.UTC)


def test_states_of_nodes_and_jobs_are_no_evidence() -> None:
    state = SchedulerState.model_validate(
        {
            "schema_version": 1,
            "environment": "prod",
            "written_at": NOW - dt.timedelta(days=3),
            "nodes": [
                {"name": "a", "instance_id": "i-a", "states": ["DOWN"], "reason": "gone"},
                {"name": "b", "states": ["NOT_READY"]},
            ],
            "jobs": {"FAILED": 3},
            "acceptance": {"b": {"state": "rejected", "reason": "gpu-count: 7", "action": None}},
        }
    )
    (only,) = failure_kubernetes.of_nodes(state, Target(), NOW)
    assert (only.kind, only.node, only.source) == ("acceptance", "b", "the Kubernetes API")
    assert failure_kubernetes.names_of(state) == {"i-a": "a"}
