"""The scenario context: deployments, waiting, faults."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from clusterwright_rehearsal import artefact_mirror, cluster_size
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.scenario_api.outcomes import Broken
from packages.rehearsal.tests.scenario_api.contexts import answering, context


@pytest.fixture
def found(tmp_path: Path) -> Any:
    return context(tmp_path, spec={"slurm": {"users": []}})


class TestDeploy:
    @pytest.fixture(autouse=True)
    def _files(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        self.written: list[dict[str, Any]] = []

        def write(data: dict[str, Any], folder: Path) -> Path:
            self.written.append(data)
            return folder / "spec.yaml"

        monkeypatch.setattr(cluster_size, "write", write)
        monkeypatch.setattr(artefact_mirror, "needed_artefacts", lambda _: None)

    def change(self, spec: dict[str, Any]) -> None:
        spec["slurm"]["users"].append("ann")

    def test_the_changed_spec_is_deployed(self, found: Any) -> None:
        before = found.spec
        found.deploy(self.change)
        assert found.spec == {"slurm": {"users": ["ann"]}} == self.written[0]
        assert before == {"slurm": {"users": []}}
        found.cdk.deploy.assert_called_once_with(found.cdk.synthesise.return_value)

    def test_a_failure_breaks_the_promise_and_keeps_the_spec(self, found: Any) -> None:
        found.cdk.deploy.side_effect = RehearsalError("cdk deploy failed: no")
        with pytest.raises(Broken, match="cdk deploy failed: no"):
            found.deploy(self.change)
        assert found.spec == {"slurm": {"users": []}}

    def test_artefacts_are_mirrored_first(
        self, found: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        mirrored = Mock()
        monkeypatch.setattr(artefact_mirror, "needed_artefacts", lambda _: "needed")
        monkeypatch.setattr(artefact_mirror, "lock_path", lambda _: tmp_path / "lock")
        monkeypatch.setattr(artefact_mirror, "mirror_to_bucket", mirrored)
        found.aws = lambda service: service
        found.deploy(self.change, artefacts=tmp_path)
        mirrored.assert_called_once_with("s3", "needed", tmp_path / "lock", tmp_path)


class TestWaiting:
    def api(self, found: Any, **statuses: str) -> None:
        rows = {node["name"]: "Running" for node in found.rows}
        rows |= {name.replace("_", "-"): status for name, status in statuses.items()}
        found.api_nodes = lambda: {
            name: {"InstanceStatus": {"Status": status, "Message": "why"}}
            for name, status in rows.items()
        }

    def states(self, found: Any, text: str) -> list[str]:
        return answering(found, {"sinfo": text})

    def test_idle_is_running_in_the_api_and_idle_in_slurm(self, found: Any) -> None:
        self.api(found)
        commands = self.states(found, "ip-10-0-0-7 IDLE\nip-10-0-0-8 idle\n")
        found.wait_idle(within_s=0)
        assert commands[0] == "scancel --state=PENDING; scancel --state=RUNNING"

    def test_with_the_hold_its_tests_go_on_and_reserved_nodes_are_not_idle(
        self, found: Any
    ) -> None:
        found.cluster.acceptance.hold = True
        self.api(found)
        commands = self.states(found, "ip-10-0-0-7 reserved\nip-10-0-0-8 idle\n")
        with pytest.raises(Broken, match="ip-10-0-0-7 is reserved"):
            found.wait_idle(within_s=0)
        assert "!~ /^clusterwright-acceptance/" in commands[0]
        found.wait_idle(within_s=0, or_held=True)

    @pytest.mark.parametrize(
        ("status", "states", "message"),
        [
            ("Pending", "", "workers-1 is Pending"),
            ("Running", "ip-10-0-0-7 idle\nip-10-0-0-8 drained\n", "ip-10-0-0-8 is drained"),
            ("Running", "ip-10-0-0-7 idle\n", "ip-10-0-0-8 is None"),
        ],
    )
    def test_what_is_not_idle_is_named(
        self, found: Any, status: str, states: str, message: str
    ) -> None:
        self.api(found, workers_1=status)
        self.states(found, states)
        with pytest.raises(Broken, match=message):
            found.wait_idle(within_s=0)

    def test_a_running_node_with_another_instance(self, found: Any) -> None:
        self.api(found)
        node = found.node("workers-1")
        assert found.wait_running(node, but="i-0", within_s=0) >= 0
        with pytest.raises(Broken, match="workers-1 is still i-7"):
            found.wait_running(node, but="i-7", within_s=0)

    def test_a_failed_node_is_not_waited_for(self, found: Any) -> None:
        self.api(found, workers_1="Failure")
        with pytest.raises(Broken, match="workers-1 is Failure: why"):
            found.wait_running(found.node("workers-1"), within_s=3600)


@pytest.mark.parametrize(
    ("method", "arguments", "request_"),
    [
        ("deny", ("s3", "GetObject"), {"do": "fault", "error": "AccessDenied"}),
        ("allow_all", (), {"do": "clear_faults"}),
        ("hold_scripts", (True,), {"do": "settings", "hold_scripts": True}),
        ("set_detection", (4.0,), {"do": "settings", "detection_s": 4.0}),
    ],
)
def test_requests_to_the_worker(
    found: Any, method: str, arguments: tuple[Any, ...], request_: dict[str, Any]
) -> None:
    getattr(found, method)(*arguments)
    call = found.worker.ask.call_args
    assert call.args == (request_.pop("do"),)
    assert request_.items() <= call.kwargs.items()


@pytest.mark.parametrize("method", ["crash", "isolate", "reconnect"])
def test_faults_of_a_node(found: Any, method: str) -> None:
    getattr(found, method)(found.node("workers-1"))
    found.worker.ask.assert_called_with(method, node="workers-1")


@pytest.mark.parametrize(("method", "verb"), [("replace", "replace"), ("reboot", "reboot")])
def test_batch_calls_of_hyperpod(found: Any, method: str, verb: str) -> None:
    sagemaker = Mock()
    call = getattr(sagemaker, f"batch_{verb}_cluster_nodes")
    call.return_value = {"Successful": ["i-7"]}
    found.aws = lambda _: sagemaker
    getattr(found, method)(found.node("workers-1"))
    call.assert_called_once_with(ClusterName="prod", NodeIds=["i-7"])
    call.return_value = {"Failed": [{"Message": "no"}]}
    with pytest.raises(Broken, match=rf"{verb} workers-1: .*no"):
        getattr(found, method)(found.node("workers-1"))


def test_former_names(found: Any) -> None:
    kind = type(found)
    assert (kind.settle, kind.cut, kind.mend, kind.mend_aws) == (
        kind.wait_idle,
        kind.isolate,
        kind.reconnect,
        kind.allow_all,
    )
