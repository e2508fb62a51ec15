"""The JSON of `capacity` matches its schema."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema

from clusterwright.cluster_state.published import RunningJob, SchedulerView
from clusterwright.json_output.capacity import capacity_json
from clusterwright.json_output.schemas import schemas
from clusterwright.operate.capacity import capacity_report
from tests.operate.clusters import cluster_state, in_slurm, load, plan, published, rates
from tests.support import specs


def test_keys(tmp_path: Path) -> None:
    spec = load(tmp_path, compute__1__capacity={"kind": "training-plan", "arn": specs.PLAN})
    job = RunningJob(id="101", nodes=("ip-workers-1", "ip-workers-2"))
    slurm = (*(in_slurm(i, "ALLOCATED") for i in (1, 2)), in_slurm(3), in_slurm(4))
    state = cluster_state(
        spec,
        scheduler=SchedulerView(published(slurm, running=(job,)), None),
        capacity={specs.PLAN: plan(spares=1)},
    )
    report = capacity_report(spec.cluster, state, rates(spec), file="test.yaml")
    data = json.loads(capacity_json(report))
    jsonschema.validate(data, schemas()["capacity-output.schema.json"])
    assert (data["schema_version"], data["command"], data["exit_code"]) == (1, "capacity", 0)
    (bought,) = data["capacity"]
    assert (bought["id"], bought["used"], bought["free"], bought["spares"]) == (
        specs.PLAN,
        4,
        0,
        1,
    )
    assert bought["ends"] == bought["instances_end"] == "2026-12-03T08:00:00+00:00"
    assert data["spares"][0]["idle"] == ["ip-workers-3", "ip-workers-4"]
    (failure,) = data["failures"]
    assert failure["minutes"] == {"least": 5, "most": 20}
    assert failure["node_minutes"] == {"least": 10, "most": 40}
    assert failure["cost_usd"] is None
