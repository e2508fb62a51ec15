"""`clusterwright status` of a cluster deployed to the local AWS."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from clusterwright.json_output.schemas import schemas
from tests.support.command_line import clusterwright
from tests.support.deployed_cluster import Deployed, node_name
from tests.support.rich_specs import MINIMAL, changed

pytestmark = pytest.mark.usefixtures("in_account")

BASE = changed(MINIMAL, protection="destroy")


def status(deployed: Deployed, code: int, *options: str) -> dict[str, Any]:
    found = clusterwright("status", deployed.path, "--format", "json", *options)
    data: dict[str, Any] = json.loads(found.out)
    jsonschema.validate(data, schemas()["status-output.schema.json"])
    assert (found.exit_code, data["exit_code"]) == (code, code), data["findings"]
    return data


def codes(data: dict[str, Any]) -> list[str]:
    return [finding["code"] for finding in data["findings"] if finding["severity"] != "info"]


def test_before_the_controller_publishes_the_aws_side_is_answered(deployed: Deployed) -> None:
    data = status(deployed, 2)
    assert data["cluster"] == {"name": "test", "status": "InService"}
    assert {stack["status"] for stack in data["stacks"]} == {"CREATE_COMPLETE"}
    assert {node["platform_state"] for node in data["nodes"]} == {"Running"}
    assert {node["scheduler_state"] for node in data["nodes"]} == {"unknown"}
    assert data["jobs"] is None
    (unknown,) = data["unknown"]
    assert unknown["what"] == "the scheduler's view"
    assert "has not published" in unknown["reason"]


def test_healthy_cluster(deployed: Deployed) -> None:
    deployed.publish()
    data = status(deployed, 0)
    assert data["jobs"] == {"RUNNING": 3}
    workers = [node for node in data["nodes"] if node["role"] == "compute"]
    assert {(n["scheduler_state"], n["accepted"]) for n in workers} == {("IDLE", "yes")}
    assert [(g["name"], g["current"], g["desired"]) for g in data["groups"]] == [
        ("controller", 1, 1),
        ("workers", 4, 4),
    ]


def test_an_instance_that_hyperpod_found_faulty(deployed: Deployed) -> None:
    deployed.publish()
    bad = next(node for node in deployed.nodes() if node["InstanceGroupName"] == "workers")
    with deployed.deep_health_check_failed(bad["InstanceId"], "DCGM failed"):
        data = status(deployed, 1)
    (finding,) = [each for each in data["findings"] if each["code"] == "deep-health-check"]
    assert finding["resources"] == [node_name(bad)]
    assert "DCGM failed" in finding["message"]
    assert status(deployed, 0)["findings"] == []


def test_text(deployed: Deployed) -> None:
    deployed.publish()
    found = clusterwright("status", deployed.path)
    assert found.exit_code == 0
    assert found.err == ""
    assert "cluster        InService\n" in found.out


def test_a_drained_and_a_rejected_node(deployed: Deployed) -> None:
    first, second, *rest = [n for n in deployed.nodes() if n["InstanceGroupName"] == "workers"]
    nodes = [
        {
            "name": node_name(first),
            "group": "workers",
            "instance_id": first["InstanceId"],
            "states": ["IDLE", "DRAIN"],
            "reason": "xid 79",
            "reason_at": "2026-11-23T07:50:00Z",
        },
        *(
            {
                "name": node_name(n),
                "group": "workers",
                "instance_id": n["InstanceId"],
                "states": ["IDLE"],
            }
            for n in (second, *rest)
        ),
    ]
    rejected = {"state": "rejected", "reason": "efa 7 is down", "action": "replace"}
    deployed.publish(nodes=nodes, acceptance={node_name(second): rejected})
    data = status(deployed, 1)
    assert codes(data) == ["node-rejected", "node-drained"]
    found = {node["name"]: node for node in data["nodes"]}
    assert found[node_name(first)]["since"] == "2026-11-23T07:50:00+00:00"
    assert found[node_name(second)]["accepted"] == "no"


def test_stale_state(deployed: Deployed) -> None:
    old = (dt.datetime.now(dt.UTC) - dt.timedelta(minutes=20)).isoformat()
    deployed.publish(written_at=old)
    data = status(deployed, 1)
    assert codes(data) == ["state-stale"]
    assert data["jobs"] is None


def test_nothing_deployed(deployed: Deployed, tmp_path: Path) -> None:
    path = tmp_path / "other.yaml"
    path.write_text(json.dumps(changed(BASE, environment="other")))
    data = status(Deployed(path, deployed.account), 1)
    assert codes(data) == ["not-deployed"]
    assert data["cluster"] == {"name": "other", "status": None}
    assert data["nodes"] == []


@pytest.mark.parametrize(
    "words",
    [
        ("accept", "--level", "quick", "--wait", "0"),
        ("capacity",),
        ("diagnose",),
        ("diagnose", "node", "workers-1"),
        ("drift",),
        ("node", "drain", "workers-1", "--because", "x", "--yes"),
        ("topology",),
    ],
    ids=lambda words: words[0] + words[1][:4] if len(words) > 1 else words[0],
)
def test_no_command_names_the_controller_of_an_undeployed_cluster(
    deployed: Deployed, tmp_path: Path, words: tuple[str, ...]
) -> None:
    path = tmp_path / "other.yaml"
    path.write_text(json.dumps(changed(BASE, environment="other")))
    at = 2 if words[0] == "node" else 1
    said = clusterwright(*words[:at], path, *words[at:])
    assert said.exit_code == 2
    assert "no cluster other exists in us-east-1" in said.out + said.err
    assert "clusterwright-state" not in said.out + said.err


def test_without_credentials(deployed: Deployed, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    data = status(deployed, 2)
    assert data["findings"] == []
    assert {part["what"] for part in data["unknown"]} >= {"the nodes", "the cluster"}


def test_wrong_use(deployed: Deployed) -> None:
    assert clusterwright("status").exit_code == 3
    assert clusterwright("status", "nowhere.yaml").exit_code == 3
