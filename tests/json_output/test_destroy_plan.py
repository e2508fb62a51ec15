"""The JSON output of destroy-plan."""

from __future__ import annotations

import json
from decimal import Decimal

import jsonschema

from clusterwright.json_output.destroy_plan import destroy_plan_json
from clusterwright.json_output.schemas import schemas
from clusterwright.review.deletion_results import DeletionBlocker, DeletionPlan, Remaining


def test_plan_matches_its_schema() -> None:
    plan = DeletionPlan(
        file="configs/dev.yaml",
        environment="dev",
        platform="eks",
        protection="destroy",
        stacks=("dev-cluster",),
        blockers=(DeletionBlocker(where="dev-cluster", message="m", hint="h"),),
        remaining=(
            Remaining(kind="service", what="w", name="n", why="y", monthly_usd=Decimal("1.5")),
        ),
    )
    answer = json.loads(destroy_plan_json(plan))
    jsonschema.validate(answer, schemas()["destroy-plan-output.schema.json"])
    assert (answer["command"], answer["exit_code"]) == ("destroy-plan", 1)
    assert answer["monthly_usd"] == 1.5
    assert answer["remaining"][0]["monthly_usd"] == 1.5
    assert answer["stacks"] == ["dev-cluster"]
