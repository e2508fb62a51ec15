"""`clusterwright accept --deep-health-checks` with a cluster deployed to the local AWS."""

from __future__ import annotations

import datetime as dt
import json
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest

from clusterwright.aws import hyperpod
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.cli import accept_deep_health
from clusterwright.cluster_state import deep_health
from clusterwright.cluster_state.deep_health import DeepHealthOutcome, DeepHealthResult
from clusterwright.json_output.schemas import schemas
from tests.support.command_line import Answer, clusterwright
from tests.support.deployed_cluster import Deployed, node_name
from tests.support.rich_specs import MINIMAL, changed
from tests.support.specs import write

pytestmark = pytest.mark.usefixtures("in_account")

Started = tuple[str, tuple[str, ...], tuple[str, ...]]
BASE = changed(MINIMAL, protection="destroy")


@pytest.fixture(autouse=True)
def _quick_polls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accept_deep_health, "_POLL_SECONDS", 0.05)


@pytest.fixture
def workers(deployed: Deployed) -> dict[str, str]:
    """Instance ids by name; the controller says that every node is idle."""
    deployed.publish(running=[])
    return {
        node_name(node): node["InstanceId"]
        for node in deployed.nodes()
        if node["InstanceGroupName"] == "workers"
    }


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Started]:
    """What was started."""
    found: list[Started] = []
    start = hyperpod.start_health_checks

    def noting(session: Any, name: str, wanted: Any) -> None:
        start(session, name, wanted)
        found.extend(wanted)

    monkeypatch.setattr(hyperpod, "start_health_checks", noting)
    return found


def run(deployed: Deployed, code: int, *options: str) -> tuple[dict[str, Any], Answer]:
    words = ("--deep-health-checks", "--format", "json", *options)
    found = clusterwright("accept", deployed.path, *words)
    assert found.exit_code == code, found
    data: dict[str, Any] = json.loads(found.out)
    jsonschema.validate(data, schemas()["accept-output.schema.json"])
    assert data["level"] == "deep-health-checks"
    return data, found


def test_idle_nodes_are_tested_and_followed(
    deployed: Deployed, workers: dict[str, str], started: list[Started]
) -> None:
    data, found = run(deployed, 0, "--yes")
    assert data["status"] == "ended"
    assert {one["name"]: one["verdict"] for one in data["nodes"]} == dict.fromkeys(
        workers, "accepted"
    )
    assert [check["id"] for check in data["nodes"][0]["checks"]] == [
        "deep-health-check-instance-stress",
        "deep-health-check-instance-connectivity",
    ]
    ((group, ids, checks),) = started
    assert (group, set(ids)) == ("workers", set(workers.values()))
    assert checks == ("InstanceStress", "InstanceConnectivity")
    for text in (
        "HyperPod runs InstanceStress and InstanceConnectivity on 4 nodes of workers",
        "HyperPod reboots or replaces by itself what it finds to be faulty",
        "a maintenance reservation of Slurm keeps new jobs from the nodes",
        "at most 9.0 node-hours",
        "Price of that time: at most ",
    ):
        assert text in found.err


def test_one_node_has_no_test_of_connectivity(
    deployed: Deployed, workers: dict[str, str], started: list[Started]
) -> None:
    name = next(iter(workers))
    data, _ = run(deployed, 0, "--yes", "--nodes", name)
    assert [checks for _, _, checks in started] == [("InstanceStress",)]
    assert [one["name"] for one in data["nodes"]] == [name]


def test_a_dry_run_and_a_missing_confirmation_start_nothing(
    deployed: Deployed, workers: dict[str, str], started: list[Started]
) -> None:
    data, _ = run(deployed, 0, "--dry-run")
    assert (data["status"], data["plan"][0]["nodes"]) == ("planned", len(workers))
    found = clusterwright("accept", deployed.path, "--deep-health-checks")
    assert found.exit_code == 3
    assert "--yes acts without confirmation" in found.err
    assert started == []


def test_a_declined_confirmation_starts_nothing(
    deployed: Deployed,
    workers: dict[str, str],
    started: list[Started],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(accept_deep_health, "confirmed", lambda _, *, yes: yes)
    found = clusterwright("accept", deployed.path, "--deep-health-checks")
    assert found.exit_code == 1
    assert "nothing was done, because the confirmation was declined" in found.err
    assert "unknown" not in found.out
    assert started == []


def test_nodes_with_jobs_are_left_out_unless_named(
    deployed: Deployed, workers: dict[str, str], started: list[Started]
) -> None:
    busy = next(iter(workers))
    job = {"id": "12", "user": "ada", "partition": "workers", "nodes": [busy]}
    deployed.publish(running=[job])
    data, found = run(deployed, 0, "--yes")
    assert busy not in {one["name"] for one in data["nodes"]}
    assert f"Left out: {busy}: a job runs on it." in found.err
    _, found = run(deployed, 0, "--yes", "--nodes", busy)
    assert "These jobs run on the nodes, and may fail: 12 (1 node)." in found.err
    assert started[-1][1] == (workers[busy],)


def test_without_the_controllers_view_nodes_have_to_be_named(
    deployed: Deployed, workers: dict[str, str], started: list[Started]
) -> None:
    deployed.publish(running=None)
    data, _ = run(deployed, 2, "--yes")
    assert data["status"] == "refused"
    assert data["unknown"][0]["what"] == "the jobs on the nodes"
    assert started == []
    _, found = run(deployed, 0, "--yes", "--nodes", next(iter(workers)))
    assert "The jobs on the nodes are unknown, and may fail." in found.err


def test_a_faulty_node_is_rejected_with_hyperpods_reason(
    deployed: Deployed, workers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name, ident = next(iter(workers.items()))
    with ExitStack() as lines:

        def failing(*_: Any) -> None:
            fault = deployed.deep_health_check_failed(ident, "DCGM: memory")
            lines.enter_context(fault)

        monkeypatch.setattr(hyperpod, "start_health_checks", failing)
        monkeypatch.setattr(accept_deep_health, "_LATE_SECONDS", 0.2)
        data, _ = run(deployed, 1, "--yes", "--nodes", name)
    (only,) = data["nodes"]
    assert (only["verdict"], only["action"]) == ("rejected", "replace")
    assert only["reason"].endswith("DCGM: memory")


@pytest.mark.parametrize("state", ["SystemUpdating", "Pending", "Running"])
def test_checks_that_pass_after_the_reboot_for_a_failure_count(
    deployed: Deployed,
    workers: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    state: str,
) -> None:
    name, ident = next(iter(workers.items()))
    listed = hyperpod.cluster_nodes
    states = ["DeepHealthCheckInProgress", *[state] * 3, "DeepHealthCheckInProgress", "Running"]
    failure = DeepHealthResult(ident, dt.datetime.now(dt.UTC), False, "reboot", "DCGM")
    looks: list[str] = []

    def shown(*words: Any) -> Any:
        if not began:
            return listed(*words)
        looks.append(states[min(len(looks), len(states) - 1)])
        return (SimpleNamespace(instance_id=ident, status=looks[-1]),)

    def outcomes(*_: Any) -> dict[str, DeepHealthOutcome]:
        passed = frozenset({"InstanceStress"}) if len(looks) == len(states) else frozenset()
        return {ident: DeepHealthOutcome(passed=passed, failure=failure)}

    began: list[str] = []
    monkeypatch.setattr(hyperpod, "start_health_checks", lambda *_: began.append(name))
    monkeypatch.setattr(hyperpod, "cluster_nodes", shown)
    monkeypatch.setattr(deep_health, "outcomes", outcomes)
    data, _ = run(deployed, 0, "--yes", "--nodes", name)
    assert (data["status"], looks) == ("ended", states)
    assert [one["verdict"] for one in data["nodes"]] == ["accepted"]


def test_no_result_is_unknown(
    deployed: Deployed, workers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hyperpod, "start_health_checks", lambda *_: None)
    data, _ = run(deployed, 2, "--yes", "--nodes", next(iter(workers)), "--wait", "0.2")
    assert data["status"] == "running"
    assert data["nodes"][0]["reason"] == "HyperPod has no result of InstanceStress"
    assert data["unknown"][0]["reason"].startswith("they have not ended after")


def test_a_replaced_instance_without_a_result_ends_the_wait(
    deployed: Deployed, workers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: Any) -> None:
        monkeypatch.setattr(hyperpod, "cluster_nodes", lambda *_: ())

    monkeypatch.setattr(hyperpod, "start_health_checks", gone)
    monkeypatch.setattr(accept_deep_health, "_LATE_SECONDS", 0.2)
    data, _ = run(deployed, 2, "--yes", "--nodes", next(iter(workers)))
    assert (data["status"], data["unknown"]) == ("ended", [])
    assert data["nodes"][0]["verdict"] == "unknown"


def test_one_request_at_a_time(
    deployed: Deployed, workers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: Any) -> None:
        raise AwsUnavailable(
            service="sagemaker",
            operation="StartClusterHealthCheck",
            region="us-east-1",
            reason="other",
            detail="in progress already",
            code="ConflictException",
        )

    monkeypatch.setattr(hyperpod, "start_health_checks", refused)
    data, _ = run(deployed, 2, "--yes")
    assert data["status"] == "refused"
    assert data["unknown"][0]["hint"].startswith("a cluster has one request at a time")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--yes",), "--yes confirms --deep-health-checks"),
        (("--deep-health-checks", "--level", "full"), "they have no level and no run"),
        (("--deep-health-checks", "--run", "abcdefgh"), "they have no level and no run"),
    ],
)
def test_wrong_use(deployed: Deployed, options: tuple[str, ...], text: str) -> None:
    found = clusterwright("accept", deployed.path, *options)
    assert found.exit_code == 3
    assert text in found.err


def test_other_platforms_have_none() -> None:
    found = clusterwright("accept", "configs/dev-eks.yaml", "--deep-health-checks")
    assert found.exit_code == 3
    assert "eks has none, only HyperPod has" in found.err


def test_the_policy_has_the_action(tmp_path: Path) -> None:
    path = write(tmp_path / "s.yaml", MINIMAL)
    words = ("--iam-policy", "--format", "json")
    found = clusterwright("accept", path, "--deep-health-checks", *words)
    permissions = {one["action"]: one for one in json.loads(found.out)["permissions"]}
    (resource,) = permissions["sagemaker:StartClusterHealthCheck"]["resources"]
    assert resource.startswith("arn:aws:sagemaker:us-east-1:")
    assert resource.endswith(":cluster/*")
    assert "s3:PutObject" not in permissions
    without = clusterwright("accept", path, *words)
    assert "sagemaker:StartClusterHealthCheck" not in without.out
