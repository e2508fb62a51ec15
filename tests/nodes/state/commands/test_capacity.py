"""`clusterwright capacity` on a node."""

from __future__ import annotations

import json

from clusterwright.json_output.capacity import CapacityReportOutput
from tests.nodes.state.commands.conftest import Commands, slurm_node


def test_idle_nodes_are_known_and_purchases_are_not(commands: Commands) -> None:
    commands.nodes = [
        slurm_node("workers-1", states=["ALLOCATED"]),
        slurm_node("workers-2"),
        slurm_node("workers-3", states=["IDLE", "DRAIN"]),
    ]
    commands.running = [
        {"id": "7", "name": "t", "user": "ada", "nodes": ["workers-1"], "since": None}
    ]
    found = commands.answer("capacity")
    CapacityReportOutput.model_validate_json(json.dumps(found))
    assert set(found) == set(CapacityReportOutput.model_fields)
    assert found["spares"][0]["idle"] == ["workers-2"]
    assert found["failures"][0]["job"] == "7"
    assert found["failures"][0]["minutes"] is None
    assert found["exit_code"] == 2
    assert "workers" in commands.run("capacity")[1]


def test_running_job_on_unknown_nodes_is_not_no_job(commands: Commands) -> None:
    commands.nodes = [slurm_node("workers-1", states=["ALLOCATED"])]
    commands.running = [{"id": "7", "name": "t", "user": "ada", "nodes": None, "since": None}]
    found = commands.answer("capacity")
    CapacityReportOutput.model_validate_json(json.dumps(found))
    assert found["failures"][0]["job_nodes"] is None
    assert found["failures"][0]["note"] == "which jobs run is unknown"
    part = next(one for one in found["unknown"] if one["what"] == "the nodes of running jobs")
    assert part["reason"] == "slurmctld does not name those of job 7"


def test_an_idle_group_loses_nothing(commands: Commands) -> None:
    found = commands.answer("capacity")
    CapacityReportOutput.model_validate_json(json.dumps(found))
    assert found["failures"][0]["node_minutes"] == {"least": 0, "most": 0}
