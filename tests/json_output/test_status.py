"""The JSON of `status` has the keys of the contract."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema

from clusterwright.json_output.schemas import schemas
from clusterwright.json_output.status import status_json
from tests.operate.clusters import load, plan, report
from tests.support import specs


def test_keys(tmp_path: Path) -> None:
    capacity = {"kind": "training-plan", "arn": specs.PLAN}
    found = report(load(tmp_path, compute__1__capacity=capacity), capacity={specs.PLAN: plan()})
    data = json.loads(status_json(found))
    jsonschema.validate(data, schemas()["status-output.schema.json"])
    assert (data["schema_version"], data["command"], data["exit_code"]) == (1, "status", 0)
    assert data["cluster"] == {"name": "test", "status": "InService"}
    assert {"name", "current", "desired"} <= data["groups"][0].keys()
    assert {
        "name",
        "group",
        "instance_id",
        "platform_state",
        "scheduler_state",
        "accepted",
        "reason",
        "since",
    } <= data["nodes"][0].keys()
    assert {"id", "kind", "used", "free", "ends"} <= data["capacity"][0].keys()
    assert data["capacity"][0]["ends"] == "2026-12-03T08:00:00+00:00"
    assert data["jobs"] == {"RUNNING": 1}
    assert data["cost_per_hour_usd"] is None
    assert data["cost_unpriced"]
    assert data["findings"] == []
