"""The JSON output of `report layouts`."""

from __future__ import annotations

import json

import jsonschema

from clusterwright.json_output.layouts import layouts_json
from clusterwright.json_output.schemas import schemas
from tests.support.goodput_reports import START, layouts
from tests.support.training_logs import WRITERS, Attempt

LAYOUT = {"tensor": 8, "pipeline": 1, "context": 1, "data": 2, "sharding": "none"}


def test_points() -> None:
    text = WRITERS["megatron"](Attempt(START, 0, 12, step_s=40.0))
    data = json.loads(layouts_json(layouts({"TP8": (LAYOUT, text)}, plan=None)))
    jsonschema.validate(data, schemas()["report-layouts-output.schema.json"])
    assert (data["fastest"], data["exit_code"], data["command"]) == ("TP8", 0, "report layouts")
    assert data["points"][0]["layout"] == LAYOUT
    assert data["points"][0]["predicted_tokens_per_second"] is None
