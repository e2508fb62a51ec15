"""The JSON output of `report cost`."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema

from clusterwright.cluster_spec import load_spec
from clusterwright.goodput.node_cost import NodeRate, node_cost_report
from clusterwright.json_output.node_cost import node_cost_json
from clusterwright.json_output.schemas import schemas
from tests.support.goodput_reports import JOBS

SPEC = Path(__file__).parents[2] / "configs/examples/p5-2.yaml"


def test_days_and_shares() -> None:
    cluster = load_spec(SPEC).cluster
    report = node_cost_report(cluster, JOBS, lambda group: NodeRate(36.0), file="prod.yaml")
    data = json.loads(node_cost_json(report))
    jsonschema.validate(data, schemas()["report-cost-output.schema.json"])
    assert (data["command"], data["exit_code"], data["environment"]) == ("report cost", 0, "p5-2")
    assert [day["date"] for day in data["days"]] == ["2025-11-24"]
    assert [(run["name"], run["jobs"]) for run in data["runs"]] == [("llama3", 1)]
    assert data["total"]["job_usd"] == data["runs"][0]["usd"]
