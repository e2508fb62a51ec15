"""The JSON output of a rehearsal and its schema."""

from __future__ import annotations

import copy
import dataclasses
import json
from typing import Any

import jsonschema
import pytest

from clusterwright_rehearsal.report import json_output
from clusterwright_rehearsal.report.text import ScenarioRow
from clusterwright_rehearsal.verdict import Verdict
from packages.rehearsal.tests.report import verdicts

SCHEMA = json_output.schema()

HOSTILE = dataclasses.replace(
    verdicts.hostile(), timeline=[e for e in verdicts.hostile().timeline if "instance_id" in e]
)


@pytest.mark.parametrize(
    ("verdict", "code"),
    [(verdicts.HELD, 0), (verdicts.BROKEN, 1), (verdicts.NO_NODES, 2), (HOSTILE, 1)],
    ids=["held", "broken", "no nodes", "hostile"],
)
def test_json_matches_the_schema_and_the_contract(verdict: Verdict, code: int) -> None:
    answer = json.loads(json_output.verdict_json(verdict))
    jsonschema.validate(answer, SCHEMA)
    assert answer["schema_version"] == 1
    assert answer["command"] == "rehearse"
    assert answer["exit_code"] == code
    for promise in answer["promises"]:
        assert promise.keys() >= {"id", "scenario", "status", "seconds", "reason"}
        assert promise["status"] in ("held", "broken", "unknown")
    for step in answer["steps"]:
        assert step.keys() >= {"node", "step", "status", "seconds"}
    assert len(answer["nodes"]) == len(verdict.nodes)
    assert [entry["what"] for entry in answer["skipped"]] == [s.what for s in verdict.skipped]
    assert sum(answer["summary"].values()) == len(verdict.promises)


@pytest.mark.parametrize(
    "text",
    [
        json_output.cleaned_json(["mount /x"], ["netns y"], ["abc"], 1),
        json_output.scenarios_json(
            [ScenarioRow("first-boot", "From CreateCluster", ("running",), True)]
        ),
    ],
    ids=["--clean", "--list"],
)
def test_other_outputs_match_the_schema(text: str) -> None:
    jsonschema.validate(json.loads(text), SCHEMA)


def test_a_wrong_answer_does_not_hold() -> None:
    right = json.loads(json_output.verdict_json(verdicts.BROKEN))

    def without(key: str, of: str) -> Any:
        return lambda answer: answer[of][0].pop(key)

    for change in (
        lambda a: a.pop("promises"),
        lambda a: a.pop("skipped"),
        without("reason", "promises"),
        without("node", "steps"),
        without("instance_id", "nodes"),
        lambda a: a["promises"][0].update(status="ok"),
        lambda a: a["promises"][0].update(seconds=-1),
        lambda a: a.update(removed=[], left=[], alive=[]),
    ):
        wrong = copy.deepcopy(right)
        change(wrong)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, SCHEMA)
