"""The JSON output of `report goodput`."""

from __future__ import annotations

import json

import jsonschema
import pytest

from clusterwright.goodput.attempts import NamedLog
from clusterwright.job_logs import read_log
from clusterwright.json_output.goodput import goodput_json
from clusterwright.json_output.schemas import schemas
from tests.support.goodput_reports import report

SCHEMA = schemas()["report-goodput-output.schema.json"]


def test_parts_sum_to_the_wall_time() -> None:
    data = json.loads(goodput_json(report()))
    jsonschema.validate(data, SCHEMA)
    assert sum(data["parts"].values()) == data["wall_s"] == 1600.0
    assert data["steps"] == {"productive": 40, "repeated": 7, "first": 0, "last": 40}
    assert (data["command"], data["exit_code"]) == ("report goodput", 0)
    assert data["wall_from"] == "2025-11-24T15:58:20+00:00"
    assert data["plan"]["goodput"]["verdict"] == "within"
    assert data["goodput"] == pytest.approx(400 / 1090)
    assert data["spans"][0] == {
        "begin_s": 1763999900.0,
        "end_s": 1763999980.0,
        "part": "queue",
        "attempt": 0,
    }


def test_what_is_unknown_is_null() -> None:
    found = report(logs=[NamedLog("x", read_log("hello\n"))], records=None, plan=None)
    data = json.loads(goodput_json(found))
    jsonschema.validate(data, SCHEMA)
    assert [data[key] for key in ("parts", "wall_s", "goodput", "ettr", "mfu", "plan")] == [
        None
    ] * 6
    assert data["exit_code"] == 2
