"""`clusterwright node` on a cluster deployed to the local AWS, with a controller that answers."""

from __future__ import annotations

import datetime as dt
import importlib
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from clusterwright.json_output.schemas import schemas
from tests.support.command_line import Answer, clusterwright
from tests.support.deployed_cluster import Controller, Deployed, node_name
from tests.support.rich_specs import MINIMAL, changed

pytestmark = pytest.mark.usefixtures("in_account")

BASE = changed(MINIMAL, protection="destroy", acceptance={"hold": False})
LIFECYCLE = Path(__file__).resolve().parents[2] / "lifecycle_scripts"
BECAUSE = ("--because", "xid 79 on 0000:b9:00")


@pytest.fixture
def controller(deployed: Deployed, monkeypatch: pytest.MonkeyPatch) -> Controller:
    monkeypatch.syspath_prepend(str(LIFECYCLE))
    found = Controller(deployed, importlib.import_module("clusterwright_state.requests"))
    monkeypatch.setattr("clusterwright.cli.node_follow.time", found)
    # Nodes without an acceptance program; tests of acceptance set it.
    found.acceptance = {}
    found.publish()
    return found


def workers(deployed: Deployed) -> list[dict[str, Any]]:
    return [n for n in deployed.nodes() if n["InstanceGroupName"] == "workers"]


def run(deployed: Deployed, verb: str, *words: str, code: int) -> tuple[dict[str, Any], Answer]:
    found = clusterwright("node", verb, deployed.path, *words, *BECAUSE, "--format", "json")
    data: dict[str, Any] = json.loads(found.out)
    jsonschema.validate(data, schemas()["node-output.schema.json"])
    assert found.exit_code == data["exit_code"] == code, (data["nodes"], found.err)
    return data, found


def test_drain_and_resume(deployed: Deployed, controller: Controller) -> None:
    name = node_name(workers(deployed)[0])
    data, answer = run(deployed, "drain", name, "--yes", code=0)
    assert [(n["name"], n["outcome"]) for n in data["nodes"]] == [(name, "done")]
    assert controller.verbs == [("drain", [name])]
    assert controller.drained == {name: "xid 79 on 0000:b9:00"}
    assert "Slurm starts no new job on the nodes; running jobs go on." in answer.err
    data, _ = run(deployed, "drain", name, "--yes", code=0)
    assert data["nodes"][0]["outcome"] == "unchanged"
    data, _ = run(deployed, "resume", name, "--yes", code=0)
    assert data["nodes"][0]["outcome"] == "done"
    assert controller.drained == {}


def test_replacement_is_drained_followed_and_resumed(
    deployed: Deployed, controller: Controller
) -> None:
    first, second, *_ = workers(deployed)
    name, job = node_name(first), {"id": "7", "user": "ada", "name": "train"}
    controller.jobs = [{**job, "nodes": [name, node_name(second)]}]
    controller.publish()
    data, answer = run(deployed, "replace", first["InstanceId"], "--yes", code=0)
    (result,) = data["nodes"]
    assert (result["name"], result["outcome"]) == (name, "done")
    assert result["new_instance_id"] not in (None, first["InstanceId"])
    assert result["new_instance_id"] in {node["InstanceId"] for node in workers(deployed)}
    assert controller.verbs == [("drain", [name]), ("resume", [name])]
    assert (data["jobs_stop"], data["jobs"]) == (True, [{**job, "nodes": 2}])
    assert data["node_minutes"] == {"least": 25, "most": 50}
    assert "1 running job on the nodes stop: 7 (train, ada, 2 nodes)." in answer.err


def test_reboot_of_two_nodes(deployed: Deployed, controller: Controller) -> None:
    names = [node_name(node) for node in workers(deployed)[:2]]
    data, _ = run(deployed, "reboot", *names, "--yes", code=0)
    assert [n["outcome"] for n in data["nodes"]] == ["done", "done"]
    assert {n["new_instance_id"] for n in data["nodes"]} == {None}
    assert controller.verbs == [("drain", names), ("resume", names)]


def test_a_rejected_replacement_stays_drained(deployed: Deployed, controller: Controller) -> None:
    first = workers(deployed)[0]
    name = node_name(first)
    soon = (dt.datetime.now(dt.UTC) + dt.timedelta(minutes=1)).isoformat()
    controller.acceptance = {name: {"state": "rejected", "reason": "efa 7 is down", "since": soon}}
    data, _ = run(deployed, "replace", name, "--yes", code=1)
    (result,) = data["nodes"]
    assert (result["outcome"], result["reason"]) == (
        "failed",
        "acceptance rejected it: efa 7 is down",
    )
    assert controller.verbs == [("drain", [name])]
    controller.acceptance = {}
    controller.publish()
    run(deployed, "resume", name, "--yes", code=0)


def test_a_controller_that_does_not_answer(deployed: Deployed, controller: Controller) -> None:
    controller.answers = False
    before = workers(deployed)
    data, _ = run(deployed, "replace", node_name(before[0]), "--yes", code=2)
    (result,) = data["nodes"]
    assert (result["outcome"], result["reason"]) == (
        "unfinished",
        "the controller did not answer within 300 s",
    )
    assert [n["InstanceId"] for n in workers(deployed)] == [n["InstanceId"] for n in before]


def test_an_end_that_is_not_seen(deployed: Deployed, controller: Controller) -> None:
    name = node_name(workers(deployed)[0])
    data, _ = run(deployed, "reboot", name, "--yes", "--wait", "0", code=2)
    (result,) = data["nodes"]
    assert result["outcome"] == "unfinished"
    assert result["reason"] == (
        "asked, not followed; Slurm has it drained: clusterwright node resume"
    )
    run(deployed, "resume", name, "--yes", code=0)


def test_one_refused_node_stops_all(deployed: Deployed, controller: Controller) -> None:
    name = node_name(workers(deployed)[0])
    head = next(n for n in deployed.nodes() if n["InstanceGroupName"] == "controller")
    data, _ = run(deployed, "replace", name, head["InstanceId"], "--yes", code=1)
    assert [(n["outcome"], n["reason"]) for n in data["nodes"]] == [
        ("not-done", "another node is refused"),
        ("refused", "it is the controller: the whole cluster would stop"),
    ]
    assert controller.verbs == []


def test_without_the_schedulers_view(deployed: Deployed, controller: Controller) -> None:
    deployed.account.client("s3").delete_object(Bucket=deployed.bucket, Key="state/scheduler.json")
    name = workers(deployed)[0]["InstanceId"]
    data, _ = run(deployed, "replace", name, "--yes", code=2)
    assert data["nodes"][0]["outcome"] == "refused"
    data, answer = run(
        deployed, "replace", name, "--yes", "--without-scheduler", "--wait", "0", code=2
    )
    assert data["nodes"][0]["outcome"] == "unfinished"
    assert "The jobs on the nodes are unknown." in answer.err
    assert controller.verbs == []
    assert name not in {n["InstanceId"] for n in workers(deployed)}


def test_nobody_confirms(deployed: Deployed, controller: Controller) -> None:
    found = clusterwright(
        "node", "drain", deployed.path, node_name(workers(deployed)[0]), *BECAUSE
    )
    assert found.exit_code == 3
    assert "because stdin is not a terminal" in found.err
    assert controller.verbs == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["drain"], "no spec is named"),
        (["drain", "FILE", *BECAUSE], "no node is named"),
        (["drain", "FILE", "a"], "the reason is missing"),
        (["drain", "FILE", "a", "--because", " "], "the reason is missing"),
        (
            ["drain", "FILE", "a", "--because", "\u6545\u969c"],
            "no character that Slurm's reason keeps",
        ),
        (["drain", "FILE", "a", "--because", "x" * 181], "the reason has 181 characters"),
        (["drain", "FILE", *map(str, range(26)), *BECAUSE], "26 nodes are named"),
        (["drain", "FILE", "nowhere", *BECAUSE], "the cluster has no node nowhere"),
        (["drain", "nowhere.yaml", "a", *BECAUSE], "nowhere.yaml"),
        (["restart", "FILE", "a"], "No such command"),
    ],
)
def test_wrong_use(
    deployed: Deployed, controller: Controller, words: list[str], message: str
) -> None:
    found = clusterwright(
        "node", *(str(deployed.path) if word == "FILE" else word for word in words)
    )
    assert (found.exit_code, found.out) == (3, "")
    assert message in found.err


def test_config_by_option(deployed: Deployed, controller: Controller) -> None:
    name = node_name(workers(deployed)[0])
    found = clusterwright("node", "resume", name, "--config", deployed.path, *BECAUSE, "--yes")
    assert found.exit_code == 0
    assert found.out.split()[2:] == ["unchanged", "it", "is", "not", "drained"]


def test_credentials_of_another_account(
    deployed: Deployed, controller: Controller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from clusterwright.aws.sts import Caller

    other = Caller("444455556666", "arn:aws:iam::444455556666:user/ada")
    monkeypatch.setattr("clusterwright.aws.sts.caller", lambda _: other)
    found = clusterwright(
        "node", "drain", deployed.path, node_name(workers(deployed)[0]), *BECAUSE, "--yes"
    )
    assert found.exit_code == 2
    assert "the credentials are of account 444455556666" in found.out
    assert controller.verbs == []
