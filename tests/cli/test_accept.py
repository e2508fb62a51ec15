"""`clusterwright accept` with a cluster deployed to the local AWS, and a controller that answers.

The controller's own program is tested in tests/nodes/state and tests/nodes/acceptance.
"""

from __future__ import annotations

import datetime as dt
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from clusterwright.aws.errors import AwsUnavailable
from clusterwright.cli import accept_follow
from clusterwright.cluster_state import acceptance, requests
from clusterwright.json_output.schemas import schemas
from tests.support.acceptance_controller import AcceptanceController
from tests.support.command_line import clusterwright
from tests.support.deployed_cluster import Deployed, node_name
from tests.support.rich_specs import MINIMAL, changed

pytestmark = pytest.mark.usefixtures("in_account")

BASE = changed(MINIMAL, protection="destroy")
REFUSED = "the run other has not ended; follow it with --run other"


@pytest.fixture(autouse=True)
def _quick_polls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accept_follow, "_POLL_SECONDS", 0.05)


@pytest.fixture
def controller(deployed: Deployed) -> AcceptanceController:
    deployed.publish()
    workers = [n for n in deployed.nodes() if n["InstanceGroupName"] == "workers"]
    return AcceptanceController(
        deployed.account, deployed.bucket, [node_name(node) for node in workers]
    )


def run(deployed: Deployed, code: int, *options: str) -> dict[str, Any]:
    found = clusterwright("accept", deployed.path, "--format", "json", *options)
    assert found.exit_code == code, found
    data: dict[str, Any] = json.loads(found.out)
    jsonschema.validate(data, schemas()["accept-output.schema.json"])
    assert data["exit_code"] == code
    return data


def test_all_nodes_are_accepted(deployed: Deployed, controller: AcceptanceController) -> None:
    with controller:
        data = run(deployed, 0, "--level", "standard")
    assert (data["status"], data["level"], len(data["nodes"])) == ("ended", "standard", 4)
    assert data["run"] == controller.request["id"]
    assert data["nodes"][0]["checks"][0]["value"] == 8
    assert data["plan"][0]["nodes"] == 4
    assert (controller.request["verb"], controller.request["nodes"]) == ("accept", [])
    # Also an empty list: the waivers of an earlier request end.
    assert controller.request["waivers"] == []
    assert controller.request["level"] == "standard"


def test_a_rejected_node_is_exit_1_and_reports_are_written(
    deployed: Deployed, controller: AcceptanceController, tmp_path: Path
) -> None:
    name = next(node_name(n) for n in deployed.nodes() if n["InstanceGroupName"] == "workers")
    controller.verdicts = {name: "rejected"}
    reports = [tmp_path / f"report{suffix}" for suffix in (".html", ".xml", ".json", ".txt")]
    words = [word for path in reports for word in ("--report", str(path))]
    with controller:
        data = run(deployed, 1, "--nodes", name, *words)
    assert controller.request["nodes"] == [name]
    assert [node["verdict"] for node in data["nodes"]] == ["rejected"]
    assert data["plan"][0]["nodes"] == 1
    assert all(name in path.read_text() for path in reports)


def test_a_node_that_hyperpod_found_faulty_is_rejected(
    deployed: Deployed, controller: AcceptanceController
) -> None:
    bad = next(n for n in deployed.nodes() if n["InstanceGroupName"] == "workers")
    controller.instances = {node_name(bad): bad["InstanceId"]}
    said = "NCCL Test output Bw: 30"
    with deployed.deep_health_check_failed(bad["InstanceId"], said), controller:
        data = run(deployed, 1)
    (rejected,) = [node for node in data["nodes"] if node["verdict"] == "rejected"]
    assert (rejected["name"], rejected["action"]) == (node_name(bad), "replace")
    assert rejected["reason"].endswith(said)
    assert rejected["checks"][-1]["id"] == "deep-health-check"


def test_a_refused_request_is_unknown_with_the_reason(
    deployed: Deployed, controller: AcceptanceController
) -> None:
    controller.refused = [{"node": "", "reason": REFUSED}]
    with controller:
        data = run(deployed, 2)
    assert data["status"] == "refused"
    assert data["unknown"][0]["reason"] == f"the controller refused it: {REFUSED}"


def test_a_run_that_has_not_ended_is_followed_later(
    deployed: Deployed, controller: AcceptanceController
) -> None:
    controller.status = "running"
    with controller:
        data = run(deployed, 2, "--wait", "0.1")
    assert data["status"] == "running"
    assert data["unknown"][0]["hint"].endswith(f"--run {data['run']}")
    controller.status = "ended"
    controller.publish(data["run"], ["n1"], "quick")
    assert run(deployed, 0, "--run", data["run"])["nodes"][0]["name"] == "n1"
    controller.status = "failed"
    controller.publish(data["run"], ["n1"], "quick")
    assert run(deployed, 2, "--run", data["run"])["unknown"][0]["reason"] == "it stopped"


class Failing:
    """Fails some times before it answers, or always."""

    def __init__(self, real: Callable[..., Any], times: int) -> None:
        self.real, self.left = real, times

    def __call__(self, *words: Any) -> Any:
        if not self.left:
            return self.real(*words)
        self.left -= 1
        raise AwsUnavailable(
            service="s3", operation="GetObject", region="r", reason="throttled", detail="SlowDown"
        )


@pytest.mark.parametrize(("module", "name"), [(requests, "answer"), (acceptance, "run_report")])
def test_errors_while_it_waits_are_tried_again(
    deployed: Deployed,
    controller: AcceptanceController,
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    name: str,
) -> None:
    failing = Failing(getattr(module, name), 3)
    monkeypatch.setattr(module, name, failing)
    with controller:
        found = clusterwright("accept", deployed.path)
    assert (found.exit_code, failing.left) == (0, 0), found
    assert found.err.count("SlowDown") == 1


def test_a_request_that_was_sent_is_not_called_not_started(
    deployed: Deployed, controller: AcceptanceController, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "answer", Failing(requests.answer, -1))
    monkeypatch.setattr(requests, "VALID_FOR", dt.timedelta(seconds=0.2))
    with controller:
        data = run(deployed, 2)
    assert data["status"] == "unknown"
    assert data["run"] == controller.request["id"]
    assert "SlowDown" in data["unknown"][0]["reason"]
    assert data["unknown"][0]["hint"].endswith(f"--run {data['run']}")


def test_a_report_that_is_never_read_leaves_the_run_unknown(
    deployed: Deployed, controller: AcceptanceController, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acceptance, "run_report", Failing(acceptance.run_report, -1))
    with controller:
        data = run(deployed, 2, "--wait", "0.1")
    assert data["status"] == "unknown"
    assert data["unknown"][0]["hint"].endswith(f"--run {data['run']}")


def test_a_malformed_report_is_not_called_unfinished(
    deployed: Deployed, controller: AcceptanceController
) -> None:
    key = "state/acceptance/runs/20261123T080000Z-bad.json"
    deployed.account.client("s3").put_object(Bucket=deployed.bucket, Key=key, Body=b"{}")
    data = run(deployed, 2, "--run", "20261123T080000Z-bad")
    assert data["status"] == "unknown"
    (part,) = data["unknown"]
    assert f"{key} is not valid" in part["reason"]
    assert part["hint"] is None
    found = clusterwright("accept", deployed.path, "--run", "20261123T080000Z-bad")
    assert "has not ended" not in found.out
    assert "its result is unknown" in found.out


def test_what_a_run_does_and_costs_is_printed_before_it_starts(
    deployed: Deployed, controller: AcceptanceController, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = io.StringIO()
    before: list[str] = []
    real = requests.send

    def send(*words: Any) -> None:
        before.append(printed.getvalue())
        real(*words)

    monkeypatch.setattr(requests, "send", send)
    with controller, monkeypatch.context() as patched:
        patched.setattr(accept_follow, "tell", lambda line: printed.write(f"{line}\n"))
        data = run(deployed, 0, "--level", "quick")
    (text,) = before
    seconds = data["plan"][0]["seconds"]
    cost = f"{float(data['cost_usd']):,.2f} USD"
    assert text == (
        "Tests 4 nodes at level quick with exclusive jobs of Slurm; running jobs are not "
        f"interrupted.\nPlanned: {4 * seconds / 60:,.1f} node-minutes, {cost}.\n"
        "Sends 0 waivers of the file, in place of those that the controller keeps.\n"
    )


def test_a_request_that_is_too_large_is_not_sent(
    deployed: Deployed, controller: AcceptanceController, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "LARGEST_BYTES", 100)
    with controller:
        found = clusterwright("accept", deployed.path)
    assert (found.exit_code, controller.request) == (3, {})
    assert "and the controller reads at most 100" in found.err


def test_a_report_that_cannot_be_written_is_refused_before_the_run(
    deployed: Deployed, controller: AcceptanceController, tmp_path: Path
) -> None:
    with controller:
        found = clusterwright(
            "accept", deployed.path, "--report", str(tmp_path / "missing" / "report.xml")
        )
    assert found.exit_code == 3
    assert f"{tmp_path / 'missing'} does not exist" in found.err
    assert controller.request == {}


def test_a_report_that_cannot_be_written_later_hides_no_result(
    deployed: Deployed,
    controller: AcceptanceController,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "reports"
    folder.mkdir()
    real = acceptance.run_report

    def run_report(*words: Any) -> Any:
        shutil.rmtree(folder, ignore_errors=True)
        return real(*words)

    monkeypatch.setattr(acceptance, "run_report", run_report)
    other = tmp_path / "report.json"
    words = ["--report", str(folder / "report.xml"), "--report", str(other)]
    with controller:
        found = clusterwright("accept", deployed.path, *words)
    assert found.exit_code == 2
    assert "4 accepted" in found.out
    assert f"error: --report {folder / 'report.xml'}" in found.err
    assert json.loads(other.read_text())["exit_code"] == 0


def test_without_a_controller_nothing_is_requested(
    deployed: Deployed, controller: AcceptanceController
) -> None:
    deployed.publish(written_at="2026-11-01T08:00:00Z")
    data = run(deployed, 2)
    assert (data["status"], data["run"]) == ("refused", None)
    assert "the controller published its state last at" in data["unknown"][0]["reason"]


def test_the_price_needs_no_deployed_cluster(tmp_path: Path) -> None:
    path = tmp_path / "test.yaml"
    path.write_text(json.dumps(MINIMAL))
    found = clusterwright("accept", path, "--dry-run", "--format", "json")
    data = json.loads(found.out)
    assert (found.exit_code, data["status"], data["run"]) == (0, "planned", None)
    (group,) = data["plan"]
    assert (group["group"], group["nodes"]) == ("workers", 4)
    assert data["cost_usd"] == group["cost_usd"]


def test_the_spec_has_the_default_of_the_level(tmp_path: Path) -> None:
    path = tmp_path / "test.yaml"
    path.write_text(json.dumps(changed(MINIMAL, acceptance={"level": "standard"})))
    for options, level in (((), "standard"), (("--level", "quick"), "quick")):
        found = clusterwright("accept", path, "--dry-run", "--format", "json", *options)
        assert json.loads(found.out)["level"] == level


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--run", "20261123T080000Z-1", "--dry-run"], "--run follows a run"),
        (["--run", "../x"], "no run has such an id"),
        (["--report", "x.pdf"], "the form is unknown"),
    ],
)
def test_wrong_use_is_exit_3(tmp_path: Path, options: list[str], message: str) -> None:
    path = tmp_path / "test.yaml"
    path.write_text(json.dumps(MINIMAL))
    found = clusterwright("accept", path, *options)
    assert found.exit_code == 3
    assert message in found.err


def test_an_unknown_node_is_wrong_use(
    deployed: Deployed, controller: AcceptanceController
) -> None:
    found = clusterwright("accept", deployed.path, "--nodes", "nothing")
    assert found.exit_code == 3
    assert "the cluster has no compute node of this name" in found.err


def kubernetes_spec(folder: Path) -> Path:
    path = folder / "test.yaml"
    spec = changed(MINIMAL, platform="eks")
    spec["compute"] = [
        {"name": "system", "role": "system", "instance_type": "m5.4xlarge", "count": 2},
        MINIMAL["compute"][1],
    ]
    path.write_text(json.dumps(spec))
    return path


def test_the_price_on_kubernetes(tmp_path: Path) -> None:
    path = kubernetes_spec(tmp_path)
    found = clusterwright("accept", path, "--dry-run", "--format", "json")
    assert found.exit_code == 0, found.err
    assert json.loads(found.out)["cost_usd"] is not None


def test_the_policy_on_kubernetes_has_no_bucket(tmp_path: Path) -> None:
    found = clusterwright("accept", kubernetes_spec(tmp_path), "--iam-policy")
    assert found.exit_code == 0, found.err
    assert "eks:DescribeCluster" in found.out
    assert "s3:" not in found.out
