"""The JSON output of `report scaling`."""

from __future__ import annotations

import json

import jsonschema

from clusterwright.json_output.scaling import scaling_json
from clusterwright.json_output.schemas import schemas
from tests.support.goodput_reports import scaling


def test_points() -> None:
    data = json.loads(scaling_json(scaling({1: 80.0, 4: 24.0}, plan=None)))
    jsonschema.validate(data, schemas()["report-scaling-output.schema.json"])
    assert (data["knee"], data["exit_code"], data["command"]) == (4, 0, "report scaling")
    assert [point["nodes"] for point in data["points"]] == [1, 4]
    assert data["points"][0]["mfu"] is None
