"""`clusterwright status` on a node has the document of the command elsewhere."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

from clusterwright_common import records
from clusterwright_state.commands import status

from clusterwright.json_output.status import StatusOutput
from clusterwright.operate import node_findings
from tests.nodes.state.commands.conftest import Commands, slurm_node


def test_the_document_is_that_of_the_command_elsewhere(commands: Commands) -> None:
    commands.nodes = [slurm_node("workers-10"), slurm_node("workers-2")]
    found = commands.answer("status")
    StatusOutput.model_validate_json(json.dumps(found), strict=False)
    assert set(found) == set(StatusOutput.model_fields)
    assert [node["name"] for node in found["nodes"]] == ["workers-2", "workers-10"]
    assert found["nodes"][0]["group"] == "workers"
    assert found["exit_code"] == 2, "what AWS knows is unknown"
    assert found["cluster"]["status"] is None
    assert found["cost_per_hour_usd"] is None
    assert "AWS" in found["unknown"][0]["reason"]


def test_wrong_nodes_are_findings(commands: Commands) -> None:
    reason = "xid 79"
    commands.nodes = [
        slurm_node("workers-1", states=["IDLE", "DRAIN"], reason=reason),
        slurm_node("workers-2", states=["DOWN", "NOT_RESPONDING"]),
        slurm_node("workers-3", reservation="clusterwright_drain_workers-3"),
        slurm_node("workers-4", states=["IDLE", "POWERED_DOWN"]),
    ]
    found = commands.answer("status")
    assert found["exit_code"] == 1
    codes = {one["code"]: one for one in found["findings"]}
    assert codes["node-down"]["resources"] == ["workers-2"]
    drained = [one["resources"] for one in found["findings"] if one["code"] == "node-drained"]
    assert drained == [["workers-1"], ["workers-3"]]
    assert len(found["nodes"]) == 3
    code, text, _ = commands.run("status")
    assert code == 1
    assert "warning[node-drained]: workers: 1 node drained: workers-1 (xid 79)" in text


def test_acceptance_is_read_on_the_node_that_keeps_it(commands: Commands, tmp_path: Path) -> None:
    records.write(
        tmp_path / "acceptance" / "nodes" / "workers-1.json",
        {
            "state": "rejected",
            "reason": "one GPU less",
            "action": "replace",
            "level": "quick",
            "since": "2026-11-23T07:00:00Z",
            "tested_at": "2026-11-23T07:00:00Z",
        },
    )
    found = commands.answer("status")
    assert [node["accepted"] for node in found["nodes"]] == ["no", "unknown"]
    assert found["nodes"][0]["reason"] == "one GPU less"
    assert [one["code"] for one in found["findings"]] == ["node-rejected"]
    assert found["scheduler_written_at"] is None


def test_a_node_that_waits_long_for_acceptance_is_a_finding(
    commands: Commands, tmp_path: Path
) -> None:
    now = dt.datetime.now(dt.UTC)
    long, short = (
        (now - dt.timedelta(minutes=at)).strftime("%Y-%m-%dT%H:%M:%SZ") for at in (31, 29)
    )
    commands.nodes = [
        slurm_node("workers-1", boot_time=long),
        slurm_node("workers-2", boot_time=short),
    ]
    for name in ("workers-1", "workers-2"):
        tested = {"state": "accepted", "tested_at": "2026-11-23T07:00:00Z"}
        records.write(tmp_path / "acceptance" / "nodes" / f"{name}.json", tested)
    found = commands.answer("status")
    assert [(one["code"], one["severity"], one["resources"]) for one in found["findings"]] == [
        ("node-not-accepted", "warning", ["workers-1"])
    ]
    assert status.JOINING == node_findings.JOINING


def test_a_dead_slurmctld_is_unknown_not_a_traceback(commands: Commands) -> None:
    commands.nodes = None
    found = commands.answer("status")
    StatusOutput.model_validate_json(json.dumps(found))
    assert found["nodes"] == []
    assert found["jobs"] is None
    assert "the scheduler's nodes" in [one["what"] for one in found["unknown"]]


def test_names_cannot_control_the_terminal(commands: Commands) -> None:
    commands.nodes = [slurm_node("workers-1", states=["DOWN"], reason="\x1b[2J")]
    assert "\x1b" not in commands.run("status")[1]
