"""Requests to the controller and what it publishes, as scenarios use them."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clusterwright_rehearsal.scenario_api import operator
from clusterwright_rehearsal.scenario_api.outcomes import Broken
from packages.rehearsal.tests.scenario_api.contexts import answering, context

UNIT = "ExecStart=python3 -m clusterwright_state --bucket=scripts-1 --environment=dev\n"
REPORT = {
    "schema_version": 1,
    "run": "r",
    "level": "quick",
    "status": "ended",
    "started_at": "2026-11-23T08:00:00Z",
    "nodes": [{"name": "ip-10-0-0-7", "verdict": "accepted"}],
}


class Bucket:
    """An S3 client with objects; every request is answered."""

    exceptions = SimpleNamespace(NoSuchKey=KeyError)

    def __init__(self) -> None:
        self.objects: dict[str, Any] = {}

    def put_object(self, **request: Any) -> None:
        assert request["Bucket"] == "scripts-1"
        found = self.objects[request["Key"]] = json.loads(request["Body"])
        self.objects[f"state/answers/{found['id']}.json"] = {"id": found["id"]}

    def get_object(self, **request: Any) -> dict[str, Any]:
        found = self.objects[request["Key"]]  # KeyError is its NoSuchKey
        return {"Body": io.BytesIO(json.dumps(found).encode())}


def cluster(folder: Path, bucket: Bucket, **answers: tuple[int, str]) -> Any:
    found = context(folder)
    answering(found, {"systemctl cat": UNIT, "systemctl restart": "", "test -e": "", **answers})
    found.aws = lambda _: bucket
    return found


def test_acceptance_is_requested_as_by_the_command(tmp_path: Path) -> None:
    bucket = Bucket()
    found = cluster(tmp_path, bucket)
    run = operator.start_acceptance(found, ["ip-10-0-0-7"])
    request = bucket.objects[f"requests/{run}.json"]
    assert (request["verb"], request["level"]) == ("accept", "quick")
    assert request["nodes"] == ["ip-10-0-0-7"]

    assert operator.answer(found, run)["id"] == run


def test_report_is_kept_and_published(tmp_path: Path) -> None:
    bucket = Bucket()
    bucket.objects["state/acceptance/runs/r.json"] = REPORT
    found = cluster(tmp_path, bucket, **{"cat /var": (0, json.dumps(REPORT))})
    assert operator.acceptance_report(found, "r") == REPORT
    assert operator.published_report(found, "r") == REPORT


def test_run_that_does_not_end_breaks_the_promise(tmp_path: Path) -> None:
    log = {"test -e": (1, ""), "tail": (0, "no slurmctld"), "journalctl": (0, "")}
    with pytest.raises(Broken, match="no slurmctld"):
        operator.acceptance_report(cluster(tmp_path, Bucket(), **log), "r", within_s=0)


def test_missing_object_is_none(tmp_path: Path) -> None:
    assert operator.read_object(cluster(tmp_path, Bucket()), "state/scheduler.json") is None
