"""A context whose nodes the worker describes, as that of ParallelCluster."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from clusterwright_rehearsal.platforms.parallelcluster.context import ParallelClusterContext
from clusterwright_rehearsal.runs import Run
from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.outcomes import Broken

NODES = [
    {"name": "workers-1", "host": "q-st-w-1", "instance_id": "i-1", "phase": "running"},
    {"name": "workers-2", "host": "q-st-w-2", "instance_id": "i-2", "phase": "failed"},
    {"name": "login-1", "host": "ip-10-0-0-3", "instance_id": "i-3", "phase": "scripts"},
]


@pytest.fixture
def context(tmp_path: Path) -> Any:
    found: Any = ParallelClusterContext.__new__(ParallelClusterContext)
    found.results, found._notes = [], []
    found.worker = Mock(run=Run("r1", tmp_path))
    found.worker.ask.side_effect = lambda do, **_: NODES if do == "nodes" else None
    found.cluster = SimpleNamespace(environment="prod")
    found._work = tmp_path
    return found


def test_nodes_have_the_form_of_hyperpods_api(context: Any) -> None:
    event = {"event": "failed", "instance_id": "i-2", "text": "no disk"}
    other = {"event": "booted", "instance_id": "i-1"}
    context.worker.run.timeline.write_text(f"{json.dumps(event)}\n{json.dumps(other)}\n")
    assert context.api_nodes() == {
        "workers-1": {
            "InstanceId": "i-1",
            "InstanceStatus": {"Status": "Running", "Message": ""},
        },
        "workers-2": {
            "InstanceId": "i-2",
            "InstanceStatus": {"Status": "Failure", "Message": "no disk"},
        },
        "login-1": {
            "InstanceId": "i-3",
            "InstanceStatus": {"Status": "Pending", "Message": ""},
        },
    }


def test_waiting_for_another_instance(context: Any) -> None:
    node = Node(context, {"name": "workers-1"})
    assert context.wait_running_past(node, failed="i-0", within_s=0) >= 0
    with pytest.raises(Broken, match="workers-1 is i-1, running"):
        context.wait_running_past(node, failed="i-1", within_s=0)


def test_the_last_action_is_run_again(context: Any) -> None:
    assert context.program == (
        "jq -r '.[]' /run/rehearsal/custom-action.json | xargs -d '\\n' "
        "/run/rehearsal/custom-action"
    )
