"""`clusterwright accept` with a cluster deployed to the local AWS, and a controller that answers.

The controller's own program is tested in tests/nodes/state and tests/nodes/acceptance.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from clusterwright.cli import accept
from clusterwright.json_output.schemas import schemas
from tests.support.command_line import clusterwright
from tests.support.deployed_cluster import Deployed, node_name
from tests.support.rich_specs import MINIMAL, changed

pytestmark = pytest.mark.usefixtures("in_account")

BASE = changed(MINIMAL, protection="destroy")
REFUSED = "the run other has not ended; follow it with --run other"


@pytest.fixture(autouse=True)
def _quick_polls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accept, "_POLL_SECONDS", 0.05)


class Controller:
    """Answers the first request with a report, in a thread."""

    def __init__(self, deployed: Deployed) -> None:
        self.deployed = deployed
        self.request: dict[str, Any] = {}
        self.refused: list[dict[str, str]] = []
        self.status = "ended"
        self.verdicts: dict[str, str] = {}
        self.instances: dict[str, str] = {}
        self._end = threading.Event()

    def __enter__(self) -> Controller:
        self._clear()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join(timeout=30)

    def _serve(self) -> None:
        while not self._end.wait(0.05):
            for key in self._keys():
                self.request = json.loads(
                    self._s3().get_object(Bucket=self._bucket, Key=key)["Body"].read()
                )
                self._answer(self.request)
                return

    def _answer(self, request: dict[str, Any]) -> None:
        names = request["nodes"] or [
            node_name(node)
            for node in self.deployed.nodes()
            if node["InstanceGroupName"] == "workers"
        ]
        done = [] if self.refused else [{"node": name, "result": "started"} for name in names]
        answer = {"schema_version": 1, "id": request["id"], "verb": "accept"}
        answer |= {"at": "2026-11-23T08:00:00Z", "done": done, "refused": self.refused}
        if not self.refused:
            self.publish(request["id"], names, request["level"])
        self._put(f"state/answers/{request['id']}.json", answer)

    def publish(self, run: str, names: list[str], level: str) -> None:
        nodes = [
            {
                "name": name,
                "group": "workers",
                "instance_id": self.instances.get(name, "i-1"),
                "instance_type": "p5.48xlarge",
                "verdict": self.verdicts.get(name, "accepted"),
                "reason": "",
                "action": "none",
                "checks": [{"id": "gpu-count", "verdict": "pass", "value": 8.0, "unit": "GPUs"}],
            }
            for name in names
        ]
        report = {"schema_version": 1, "run": run, "level": level, "status": self.status}
        report |= {"reason": "it stopped", "started_at": "2026-11-23T08:00:00Z", "nodes": nodes}
        self._put(f"state/acceptance/runs/{run}.json", report)

    def _put(self, key: str, value: dict[str, Any]) -> None:
        self._s3().put_object(Bucket=self._bucket, Key=key, Body=json.dumps(value).encode())

    def _keys(self) -> list[str]:
        found = self._s3().list_objects_v2(Bucket=self._bucket, Prefix="requests/")
        return [entry["Key"] for entry in found.get("Contents", ())]

    def _clear(self) -> None:
        for key in self._keys():
            self._s3().delete_object(Bucket=self._bucket, Key=key)

    def _s3(self) -> Any:
        return self.deployed.account.client("s3")

    @property
    def _bucket(self) -> str:
        return self.deployed.bucket


@pytest.fixture
def controller(deployed: Deployed) -> Controller:
    deployed.publish()
    return Controller(deployed)


def run(deployed: Deployed, code: int, *options: str) -> dict[str, Any]:
    found = clusterwright("accept", deployed.path, "--format", "json", *options)
    assert found.exit_code == code, found
    data: dict[str, Any] = json.loads(found.out)
    jsonschema.validate(data, schemas()["accept-output.schema.json"])
    assert data["exit_code"] == code
    return data


def test_all_nodes_are_accepted(deployed: Deployed, controller: Controller) -> None:
    with controller:
        data = run(deployed, 0, "--level", "standard")
    assert (data["status"], data["level"], len(data["nodes"])) == ("ended", "standard", 4)
    assert data["run"] == controller.request["id"]
    assert data["nodes"][0]["checks"][0]["value"] == 8
    assert data["plan"][0]["nodes"] == 4
    assert (controller.request["verb"], controller.request["nodes"]) == ("accept", [])
    assert controller.request["level"] == "standard"


def test_a_rejected_node_is_exit_1_and_reports_are_written(
    deployed: Deployed, controller: Controller, tmp_path: Path
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
    deployed: Deployed, controller: Controller
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
    deployed: Deployed, controller: Controller
) -> None:
    controller.refused = [{"node": "", "reason": REFUSED}]
    with controller:
        data = run(deployed, 2)
    assert data["status"] == "refused"
    assert data["unknown"][0]["reason"] == f"the controller refused it: {REFUSED}"


def test_a_run_that_has_not_ended_is_followed_later(
    deployed: Deployed, controller: Controller
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


def test_without_a_controller_nothing_is_requested(
    deployed: Deployed, controller: Controller
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


def test_an_unknown_node_is_wrong_use(deployed: Deployed, controller: Controller) -> None:
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
