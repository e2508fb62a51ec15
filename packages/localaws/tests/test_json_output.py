"""The schemas of the local AWS's JSON are valid, and refuse what the commands do not write."""

from __future__ import annotations

import copy
import json

import jsonschema
import pytest

from clusterwright_localaws.json_output import schemas
from clusterwright_localaws.probes import report
from clusterwright_localaws.probes.library import probes
from clusterwright_localaws.probes.running import Difference, Result
from clusterwright_localaws.probes.verifying import Report
from clusterwright_localaws.recordings.replay import MemberDifference, Replayed, as_json


@pytest.mark.parametrize("name", sorted(schemas()))
def test_schema_is_valid_json_schema(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schemas()[name])


def test_report_of_every_verdict() -> None:
    probe = probes()[0]
    results = [
        Result(probe, "different", "", [Difference(1, "ec2.DescribeVpcs", "A", "1", "2")], ["x"]),
        Result(probe, "unknown", "step 1: AccessDenied"),
        Result(probe, "same"),
        Result(probe, "not_tried", "interrupted"),
    ]
    schema = schemas()["localaws-verify-output.schema.json"]
    for interrupted, code in ((False, 1), (True, 130)):
        found = Report("r", "123456789012", "us-east-1", results, 0.25, interrupted)
        document = json.loads(report.as_json(found))
        jsonschema.validate(document, schema)
        assert document["exit_code"] == code
    for change in (
        lambda one: one.pop("counts"),
        lambda one: one["probes"][0].update(verdict="as AWS"),
        lambda one: one.update(exit_code=3),
        lambda one: one.update(command="localaws replay"),
    ):
        wrong = copy.deepcopy(document)
        change(wrong)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)


def test_replay_of_every_verdict() -> None:
    results = [
        Replayed(1, "ec2.CreateVpc", "different", "", [MemberDifference("Vpc.State", "a", "b")]),
        Replayed(2, "ec2", "unknown", "the call could not be read"),
        Replayed(3, "ec2.DescribeVpcs", "skipped", "the same read follows"),
        Replayed(4, "ec2.DescribeVpcs", "same"),
    ]
    document = json.loads(as_json(results))
    jsonschema.validate(document, schemas()["localaws-replay-output.schema.json"])
    assert document["calls"][0]["differences"] == [
        {"member": "Vpc.State", "recorded": "a", "answered": "b"}
    ]
    document["calls"][0]["number"] = 0
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schemas()["localaws-replay-output.schema.json"])
