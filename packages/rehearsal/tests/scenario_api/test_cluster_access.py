"""Nodes, Slurm and AWS of the rehearsed cluster."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from clusterwright_rehearsal.nodes.machines import CommandResult
from clusterwright_rehearsal.scenario_api import cluster_access as module
from clusterwright_rehearsal.scenario_api.outcomes import Broken, ControllerBusy, Undetermined
from packages.rehearsal.tests.scenario_api.contexts import answering, context, pages


@pytest.fixture
def found(tmp_path: Path) -> Any:
    return context(tmp_path, "workers-10", "workers-9", "controller-1", "login-1")


class TestNodes:
    def test_are_sorted_by_group_and_number(self, found: Any) -> None:
        names = [node.name for node in found.nodes()]
        assert names == ["controller-1", "login-1", "workers-9", "workers-10"]

    def test_of_a_role_or_a_group(self, found: Any) -> None:
        assert [node.name for node in found.compute] == ["workers-9", "workers-10"]
        assert [node.name for node in found.nodes(group="login")] == ["login-1"]
        assert found.nodes("compute", "login") == []
        assert found.controller.role == "controller"

    @pytest.mark.parametrize("name", ["workers-9", "ip-10-0-0-6"])
    def test_by_name_or_host(self, found: Any, name: str) -> None:
        assert found.node(name).name == "workers-9"
        assert found.facts(name)["instance_id"] == "i-6"

    @pytest.mark.parametrize("method", ["node", "facts"])
    def test_a_missing_one(self, found: Any, method: str) -> None:
        with pytest.raises(Broken, match="there is no node nobody"):
            getattr(found, method)("nobody")


@pytest.mark.parametrize(
    ("configuration", "entry"),
    [("managed", "on_init_complete.sh"), ("scripted", "on_create.sh")],
)
def test_the_lifecycle_script(tmp_path: Path, configuration: str, entry: str) -> None:
    slurm = SimpleNamespace(configuration=configuration)
    found = context(tmp_path, slurm=slurm)
    assert found.entry == entry
    assert found.program.endswith(f"exec ./{entry}")


class TestSlurm:
    def run(self, found: Any, *results: CommandResult) -> str:
        answers = list(results)
        machine = SimpleNamespace(run=lambda *_, **__: answers.pop(0))
        found.machine = lambda *_: machine
        return str(found.slurm("sinfo"))

    def test_output(self, found: Any) -> None:
        assert self.run(found, CommandResult(0, "up\n", "", 0.1)) == "up\n"

    def test_a_busy_controller_is_asked_again(
        self, found: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module.time, "sleep", lambda _: None)
        busy = CommandResult(1, "", "slurm_load: Unable to contact slurm controller", 0.1)
        assert self.run(found, busy, busy, CommandResult(0, "up", "", 0.1)) == "up"

    def test_a_controller_that_stays_busy(self, found: Any, monkeypatch: Any) -> None:
        monkeypatch.setattr(module, "_BUSY_S", -1.0)
        busy = CommandResult(1, "", "Socket timed out on send/recv operation", 0.1)
        with pytest.raises(ControllerBusy, match="Socket timed out"):
            self.run(found, busy)

    def test_a_failure_breaks_the_promise(self, found: Any) -> None:
        with pytest.raises(Broken, match="`sinfo` exited with 1: no such option"):
            self.run(found, CommandResult(1, "", "no such option", 0.1))


class TestSubmit:
    def test_a_job_is_submitted_from_the_shared_folder(self, found: Any) -> None:
        commands = answering(found, {"cd /fsx/rehearsal": "17;cluster\n"})
        job = found.submit("srun hostname", nodes=2, options=["--gres=gpu:1"])
        assert job.id == "17"
        assert commands[0] == "mkdir -p /fsx/rehearsal && chmod 1777 /fsx/rehearsal"
        assert commands[1] == (
            "cd /fsx/rehearsal && sbatch --parsable --nodes=2"
            " --output=/fsx/rehearsal/job-1-%j.out --open-mode=append --gres=gpu:1"
        )
        found.submit("true")
        assert "job-2-%j.out" in commands[-1]

    def test_without_shared_storage_it_cannot_be_determined(self, tmp_path: Path) -> None:
        found = context(tmp_path, storage=SimpleNamespace(lustre=[]))
        with pytest.raises(Undetermined, match="the spec has no shared file system"):
            found.submit("true")


class TestAws:
    def test_nodes_by_name(self, found: Any) -> None:
        rows = [{"InstanceId": "i-6"}], [{"InstanceId": "i-99"}]
        found.aws = lambda _: pages("ClusterNodeSummaries", *rows)
        assert found.api_nodes() == {
            "workers-9": {"InstanceId": "i-6"},
            "i-99": {"InstanceId": "i-99"},
        }

    def test_logs_of_a_node(self, found: Any) -> None:
        sagemaker = Mock()
        sagemaker.describe_cluster.return_value = {"ClusterArn": "arn:x:cluster/abc"}
        found.aws = lambda _: sagemaker
        found.log_events = lambda group, stream: [group, stream]
        assert found.logs(found.node("workers-9")) == [
            "/aws/sagemaker/Clusters/prod/abc",
            "LifecycleConfig/workers/i-6",
        ]

    def test_pages_of_a_log_stream(self, found: Any) -> None:
        logs = Mock()
        logs.get_log_events.side_effect = [
            {"events": [{"message": "a"}], "nextForwardToken": "t"},
            {"events": [{"message": "b"}], "nextForwardToken": "u"},
            {"events": [], "nextForwardToken": "u"},
        ]
        logs.exceptions.ResourceNotFoundException = KeyError
        found.aws = lambda _: logs
        assert found.log_events("g", "s") == ["a", "b"]
        assert [call.kwargs.get("nextToken") for call in logs.get_log_events.mock_calls] == [
            None,
            "t",
            "u",
        ]

    def test_a_stream_that_does_not_exist_yet(self, found: Any) -> None:
        logs = Mock()
        logs.exceptions.ResourceNotFoundException = KeyError
        logs.get_log_events.side_effect = KeyError
        found.aws = lambda _: logs
        assert found.log_events("g", "s") == []
