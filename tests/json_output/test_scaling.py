"""The JSON output of `report scaling`."""

from __future__ import annotations

import json

import jsonschema

from clusterwright.goodput.collectives import InspectorFile, Operation
from clusterwright.json_output.scaling import scaling_json
from clusterwright.json_output.schemas import schemas
from tests.support.goodput_reports import scaling


def test_points() -> None:
    data = json.loads(scaling_json(scaling({1: 80.0, 4: 24.0}, plan=None)))
    jsonschema.validate(data, schemas()["report-scaling-output.schema.json"])
    assert (data["knee"], data["exit_code"], data["command"]) == (4, 0, "report scaling")
    assert [point["nodes"] for point in data["points"]] == [1, 4]
    assert data["points"][0]["mfu"] is None
    assert (data["knee_of_plan"], data["collectives"], data["dominant"]) == (None, [], [])


def test_plan_and_operations() -> None:
    files = [InspectorFile("n4/a.log", (Operation("AllReduce", 1024, 6.0, 2),))]
    data = json.loads(scaling_json(scaling({2: 80.0, 4: 48.0}, inspector=files)))
    jsonschema.validate(data, schemas()["report-scaling-output.schema.json"])
    assert data["knee_of_plan"] == 2
    assert [point["of_predicted"] is None for point in data["points"]] == [False, True]
    assert data["collectives"] == [
        {
            "nodes": 4, "operation": "AllReduce", "share": 1, "operations": 2, "longest_us": 3,
            "longest_bytes": 1024,
        }
    ]  # fmt: skip
    assert data["dominant"] == [
        {"nodes": 4, "operation": "AllReduce", "share": 1, "longest": "AllReduce"}
    ]
