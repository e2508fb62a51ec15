"""The committed schemas are current and valid, and real outputs match them."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from clusterwright.json_output.check import check_json
from clusterwright.json_output.schemas import schemas
from tests.render.check_results import CLEAN, RESULT
from tests.support import specs
from tests.support.command_line import clusterwright


def schema(command: str) -> dict[str, Any]:
    return schemas()[f"{command}-output.schema.json"]


@pytest.mark.parametrize("name", sorted(schemas()))
def test_schema_is_valid_json_schema(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schemas()[name])


@pytest.mark.parametrize(("result", "code"), [(RESULT, 1), (CLEAN, 0)])
def test_results_of_check_match_the_schema(result: Any, code: int) -> None:
    jsonschema.validate(json.loads(check_json(result, code)), schema("check"))


@pytest.mark.parametrize("command", ["check", "cost"])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"budget.monthly_usd": 1, "run.hours": 5},
        {"storage.lustre": [specs.LUSTRE], "slurm.containers.pyxis": True},
        {"compute.1.count": -1},
    ],
)
def test_results_of_commands_match_the_schema(
    tmp_path: Path, command: str, changes: dict[str, Any]
) -> None:
    path = specs.write(tmp_path / "spec.yaml", specs.changed(changes))
    options = ["--offline"] if command == "check" else []
    answer = clusterwright(command, path, *options, "--format", "json")
    found = json.loads(answer.out)
    jsonschema.validate(found, schema(command))
    assert found["exit_code"] == answer.exit_code


def test_a_wrong_answer_does_not_hold() -> None:
    answer = json.loads(check_json(RESULT, 1))
    for change in (
        lambda a: a.pop("summary"),
        lambda a: a["findings"][0].pop("rule"),
        lambda a: a["rules"][0].update(status="ok"),
        lambda a: a.update(exit_code=3),
    ):
        wrong = copy.deepcopy(answer)
        change(wrong)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema("check"))
