"""The scenario context of ParallelCluster."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock, call

import pytest

from clusterwright_rehearsal.scenario_api.node import Node
from packages.rehearsal.tests.scenario_api import contexts


@pytest.fixture
def context(tmp_path: Path) -> Any:
    return contexts.parallelcluster(tmp_path)


@pytest.mark.parametrize(
    ("role", "stream"),
    [
        ("controller", "ip-10-0-0-3.i-3.cfn-init"),
        ("compute", "ip-10-0-0-3.i-3.cloud-init-output"),
    ],
)
def test_logs_are_those_of_the_instance(context: Any, role: str, stream: str) -> None:
    logs = Mock()
    logs.describe_log_groups.return_value = {"logGroups": [{"logGroupName": "g"}]}
    context.aws = lambda _: logs
    context.log_events = lambda group, name: [f"{group} {name}"]
    node = SimpleNamespace(role=role, address="10.0.0.3", instance_id="i-3")
    assert context.logs(node) == [f"g {stream}"]
    logs.describe_log_groups.assert_called_once_with(
        logGroupNamePrefix="/aws/parallelcluster/prod-"
    )


def test_the_event_of_a_failed_action(context: Any, tmp_path: Path) -> None:
    assert context.bootstrap_error("i-2") == {}
    path = tmp_path / "logs" / "workers-2" / "i-2.bootstrap_error_msg"
    path.parent.mkdir(parents=True)
    path.write_text('{"message": "no"}')
    assert context.bootstrap_error("i-2") == {"message": "no"}
    assert context.api_nodes()["workers-2"]["InstanceStatus"] == {
        "Status": "Failure",
        "Message": '{"message": "no"}',
    }
    path.write_text("fetch_and_run - no\n")
    assert context.failure_of("i-2") == "fetch_and_run - no", "as on the head node"


def test_a_replacement_is_the_loss_of_the_instance(context: Any) -> None:
    context.replace(Node(context, {"name": "workers-1"}))
    assert context.worker.ask.call_args_list == [
        call("crash", node="workers-1"),
        call("start_again", node="workers-1"),
    ]
