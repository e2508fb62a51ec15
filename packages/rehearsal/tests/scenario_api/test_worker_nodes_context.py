"""A context whose nodes the worker describes, as that of ParallelCluster."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clusterwright_rehearsal.scenario_api.node import Node
from clusterwright_rehearsal.scenario_api.outcomes import Broken
from packages.rehearsal.tests.scenario_api import contexts


@pytest.fixture
def context(tmp_path: Path) -> Any:
    return contexts.parallelcluster(tmp_path)


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
