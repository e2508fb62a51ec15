"""What a lost controller knew: its successor reads it back from the bucket of a local AWS."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from clusterwright_common import lemon, records
from clusterwright_common.lemon import Happening
from clusterwright_state import copies, service, slurm_view
from clusterwright_state.bucket import BucketError

from clusterwright_localaws import local_aws

BUCKET = "scripts-of-prod"
NOW = time.time()
STAMP = "2026-11-20T08:00:00Z"
ACCEPTED = {"instance_type": "p5.48xlarge", "nodes": 2, "ranks": 16, "size_mib": 1024}
BASELINE = {"check": "cluster-allreduce", "instance_type": "p6-b300.48xlarge", "size_mib": 1024}
BOOK = {("n1", "i-1"): [Happening(NOW - 86_400.0 * day, "xid", f"79 {day}") for day in (3, 2, 1)]}


class LocalBucket:
    """The bucket of a local AWS, by its API; `is_closed` refuses what reads."""

    def __init__(self) -> None:
        self.s3: Any = boto3.client("s3", "us-east-1")
        self.is_closed = False
        self.written: list[str] = []

    def put(self, key: str, content: Any) -> None:
        self.written.append(key)
        self.s3.put_object(Bucket=BUCKET, Key=key, Body=json.dumps(content).encode())

    def get(self, key: str) -> str:
        body = self.s3.get_object(Bucket=BUCKET, Key=key)["Body"]
        return str(body.read().decode())

    def keys(self, prefix: str) -> list[str]:
        found = self.s3.list_objects_v2(Bucket=BUCKET, Prefix=prefix).get("Contents", ())
        return [str(one["Key"]) for one in found]

    def download(self, prefix: str, folder: Path, leave_out: str) -> None:
        if self.is_closed:
            raise BucketError("s3 cp: AccessDenied")
        assert leave_out == "runs/*"
        for key in self.keys(prefix):
            path = folder / key.removeprefix(prefix)
            if not key.startswith(f"{prefix}runs/"):
                path.parent.mkdir(exist_ok=True)
                path.write_text(self.get(key))

    def change(self, name: str, before: str, after: str) -> None:
        text = self.get(copies.PREFIX + name)
        assert before in text
        body = text.replace(before, after).encode()
        self.s3.put_object(Bucket=BUCKET, Key=copies.PREFIX + name, Body=body)


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalBucket]:
    monkeypatch.setattr(slurm_view, "reservations", lambda _: [])
    monkeypatch.setattr(slurm_view, "nodes", lambda *_: [])
    for name in ("jobs", "ended", "partitions", "running_configuration", "version", "daemons"):
        monkeypatch.setattr(slurm_view, name, lambda _: None)
    with local_aws():
        found = LocalBucket()
        found.s3.create_bucket(Bucket=BUCKET)
        yield found


class Controller:
    """A controller's disk, and its service."""

    def __init__(self, folder: Path, bucket: LocalBucket) -> None:
        self.folder = folder / "acceptance"
        words = [f"--bucket={BUCKET}", "--environment=prod", "--region=us-east-1", "--once"]
        words += [f"--handled={folder}/handled.json", f"--log={folder}/log.jsonl"]
        words += [f"--acceptance={self.folder}", f"--local={folder}/local"]
        self.log = folder / "log.jsonl"
        options = service._parser().parse_args(words)
        self.service = service.Service(options, bucket)  # type: ignore[arg-type]

    def write(self, name: str, content: dict[str, Any]) -> None:
        records.write(self.folder / name, {"schema_version": 1, **content})

    def read(self, name: str) -> dict[str, Any]:
        return records.read(self.folder / name)

    def told(self) -> list[dict[str, Any]]:
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        found = [json.loads(line) for line in lines]
        assert "bug" not in {one["event"] for one in found}, found
        return [one for one in found if one["event"] == "copy"]


def node(*runs: str, tested_at: str = "2026-11-20T08:00:00Z") -> dict[str, Any]:
    history = [{"run": run, "at": f"2026-11-{run}T08:00:00Z"} for run in runs]
    state = {"name": "n1", "state": "accepted", "instance_id": "i-1", "tested_at": tested_at}
    return {**state, "history": history}


@pytest.fixture
def lost(tmp_path: Path, bucket: LocalBucket) -> Controller:
    """A controller that published its records, before it was lost."""
    found = Controller(tmp_path / "lost", bucket)
    found.service.turn()
    found.write("accepted.json", {"accepted": [{**ACCEPTED, "gbs": 437.0, "run": "r1"}]})
    found.write("baselines.json", {"baselines": [{**BASELINE, "node_count": 2, "median": 650.0}]})
    found.write("lemons.json", lemon.to_json(BOOK))
    found.write("seen.json", {"n1": {"instance_id": "i-1", "faulty": True}})
    found.write("nodes/n1.json", node("19", "20"))
    found.write("runs/r1.json", {"status": "ended"})
    found.service.turn()
    return found


@pytest.mark.parametrize("name", [*copies.FILES, "nodes/n1.json"])
def test_a_new_controller_has_the_records_of_the_lost_one(
    tmp_path: Path, bucket: LocalBucket, lost: Controller, name: str
) -> None:
    new = Controller(tmp_path / "new", bucket)
    new.service.turn()
    assert new.read(name) == lost.read(name) != {}
    assert not (new.folder / "runs").exists()
    assert {one["object"] for one in new.told()} == {
        "state/acceptance/n1.json",
        *(f"state/acceptance/records/{file}" for file in copies.FILES),
    }


def test_the_history_counts_on_a_new_controller(
    tmp_path: Path, bucket: LocalBucket, lost: Controller
) -> None:
    """A node with three faults in a week was rebooted again after the controller was lost."""
    new = Controller(tmp_path / "new", bucket)
    new.service.turn()
    advice = new.service._histories.advice({"name": "n1", "instance_id": "i-1"}, "reboot", NOW)
    assert (advice.action, advice.is_lemon) == ("replace", True)


def test_copies_are_written_when_their_content_changes(
    bucket: LocalBucket, lost: Controller
) -> None:
    assert bucket.written.count("state/acceptance/records/lemons.json") == 1
    bucket.written.clear()
    lost.service.turn()
    assert bucket.written == []
    lost.write("seen.json", {"n1": {"instance_id": "i-2"}})
    lost.service.turn()
    assert bucket.written == ["state/acceptance/records/seen.json"]
    copy = json.loads(bucket.get("state/acceptance/records/seen.json"))
    assert copy["content"] == lost.read("seen.json")
    assert set(copy) == {"schema_version", "file", "written_at", "sha256", "content"}


def test_records_of_this_controller_stay_and_are_joined(
    tmp_path: Path, bucket: LocalBucket, lost: Controller
) -> None:
    """The bucket could not be read at first, and a run ended meanwhile."""
    new = Controller(tmp_path / "new", bucket)
    bucket.is_closed = True
    new.service.turn()
    other = {**ACCEPTED, "nodes": 4, "gbs": 354.0, "run": "r1"}
    lost.write("accepted.json", {"accepted": [{**ACCEPTED, "gbs": 1.0}, other]})
    lost.service.turn()
    fresh = {**ACCEPTED, "gbs": 430.0, "run": "r2"}
    new.write("accepted.json", {"accepted": [fresh]})
    new.write("nodes/n1.json", node("20", "21", tested_at="2026-11-21T08:00:00Z"))
    own = {("n1", "i-1"): [Happening(NOW, "drained", "x")]}
    new.write("lemons.json", lemon.to_json(own))
    bucket.written.clear()
    new.service.turn()
    assert not [key for key in bucket.written if key != "state/scheduler.json"]
    bucket.is_closed = False
    new.service.turn()
    assert new.read("accepted.json")["accepted"] == [other, fresh]
    assert [row["run"] for row in new.read("nodes/n1.json")["history"]] == ["19", "20", "21"]
    assert new.read("nodes/n1.json")["tested_at"] == "2026-11-21T08:00:00Z"
    book = lemon.load(new.folder / "lemons.json")
    assert [one.kind for one in book["n1", "i-1"]] == ["xid", "xid", "xid", "drained"]
    copy = json.loads(bucket.get("state/acceptance/records/accepted.json"))
    assert copy["content"]["accepted"] == [other, fresh]


def test_a_removed_baseline_does_not_come_back(
    tmp_path: Path, bucket: LocalBucket, lost: Controller
) -> None:
    (lost.folder / "baselines.json").unlink()
    lost.service.turn()
    again = Controller(lost.folder.parent, bucket)
    again.service.turn()
    assert not (lost.folder / "baselines.json").exists()
    new = Controller(tmp_path / "new", bucket)
    new.service.turn()
    assert not (new.folder / "baselines.json").exists()
    assert (new.folder / "accepted.json").exists()


def test_a_file_that_cannot_be_read_does_not_replace_its_copy(
    bucket: LocalBucket, lost: Controller
) -> None:
    (lost.folder / "lemons.json").write_text("{")
    lost.service.turn()
    copy = json.loads(bucket.get("state/acceptance/records/lemons.json"))
    assert copy["content"] == lemon.to_json(BOOK)


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("437.0", "999.0", "its content does not have the SHA-256 that it names"),
        ("}", "", "it is not a JSON object, or is larger than 8 MiB"),
        ('"schema_version": 1', '"schema_version": 2', "schema_version must be 1"),
        ('"accepted.json"', '"seen.json"', "it is the copy of seen.json"),
    ],
)
def test_a_damaged_copy_is_refused_and_said(
    tmp_path: Path, bucket: LocalBucket, lost: Controller, before: str, after: str, reason: str
) -> None:
    bucket.change("accepted.json", before, after)
    new = Controller(tmp_path / "new", bucket)
    new.service.turn()
    assert not (new.folder / "accepted.json").exists()
    assert new.read("baselines.json") == lost.read("baselines.json")
    (refused,) = [one for one in new.told() if "error" in one]
    assert refused["object"] == "state/acceptance/records/accepted.json"
    assert refused["error"] == reason
    assert new.read("copies.json")["refused"] == [refused["object"]]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"schema_version": 9}, "schema_version must be 1"),
        ({"name": "n2"}, "it is the record of n2"),
        ({"history": [1]}, "its history is not a list of tests"),
        ({"history": [{"run": ["x"], "at": STAMP}]}, "its history is not a list of tests"),
        ({"history": [{"run": "x", "at": "yesterday"}]}, "yesterday is no time, or in the future"),
        ({"tested_at": None}, "None is no time, or in the future"),
        ({"tested_at": "9999"}, "9999 is no time, or in the future"),
        (
            {"tested_at": "2999-01-01T00:00:00Z"},
            "2999-01-01T00:00:00Z is no time, or in the future",
        ),
        ({"state": {}}, "it has no state, or a value is no text"),
        ({"instance_id": ["i-1"]}, "it has no state, or a value is no text"),
    ],
)
def test_a_damaged_record_of_a_node_is_refused(
    tmp_path: Path, bucket: LocalBucket, change: dict[str, Any], reason: str
) -> None:
    bucket.put("state/acceptance/n1.json", {"schema_version": 1, **node("20"), **change})
    new = Controller(tmp_path / "new", bucket)
    new.service.turn()
    assert new.read("nodes/n1.json") == {}
    assert [one["error"] for one in new.told()] == [reason]


def test_a_time_in_the_future_replaces_no_newer_rejection(
    tmp_path: Path, bucket: LocalBucket
) -> None:
    bucket.put("state/acceptance/n1.json", {"schema_version": 1, **node("20", tested_at="9999")})
    new = Controller(tmp_path / "new", bucket)
    new.write("nodes/n1.json", {**node("21"), "state": "rejected"})
    new.service.turn()
    assert new.read("nodes/n1.json")["state"] == "rejected"


def _object(name: str, content: Any) -> dict[str, Any]:
    key = {"schema_version": 1, "file": name, "written_at": STAMP}
    return {**key, "sha256": copies._digest(content), "content": content}


def _lemons(**changes: Any) -> dict[str, Any]:
    event = {"time": NOW, "kind": "xid", "detail": "79", **changes}
    return {"nodes": [{"node": "n1", "instance_id": "i-1", "events": [event]}]}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("accepted.json", {"accepted": [{**ACCEPTED, "nodes": [2]}]}),
        ("accepted.json", {"accepted": {"a": 1}}),
        ("accepted.json", {"accepted": [1]}),
        ("baselines.json", {"baselines": [{**BASELINE, "check": {}}]}),
        ("baselines.json", {"baselines": 1}),
        ("lemons.json", {"nodes": {}}),
        ("lemons.json", _lemons(time=float("inf"))),
        ("lemons.json", _lemons(time=float("nan"))),
        ("lemons.json", _lemons(time=NOW + 86_400.0)),
        ("lemons.json", _lemons(kind="explosion")),
        ("seen.json", {"n1": 1}),
    ],
)
def test_a_copy_of_other_types_is_refused_alone(
    tmp_path: Path, bucket: LocalBucket, lost: Controller, name: str, content: dict[str, Any]
) -> None:
    bucket.put(copies.PREFIX + name, _object(name, content))
    new = Controller(tmp_path / "new", bucket)
    new.service.turn()
    assert new.read(name) == {}
    assert [one["object"] for one in new.told() if "error" in one] == [copies.PREFIX + name]
    others = {*copies.FILES} - {name}
    assert {file for file in others if new.read(file)} == others
    assert service.KEY in bucket.written


def test_an_object_that_is_nested_too_deeply_is_refused_alone(
    tmp_path: Path, bucket: LocalBucket, lost: Controller
) -> None:
    body = b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    bucket.s3.put_object(Bucket=BUCKET, Key="state/acceptance/n0.json", Body=body)
    new = Controller(tmp_path / "new", bucket)
    new.service.turn()
    assert new.read("nodes/n1.json") == lost.read("nodes/n1.json")
    (refused,) = [one for one in new.told() if "error" in one]
    assert refused["object"] == "state/acceptance/n0.json"


def test_rows_of_this_controller_that_are_malformed_stop_no_copy(
    tmp_path: Path, bucket: LocalBucket, lost: Controller
) -> None:
    new = Controller(tmp_path / "new", bucket)
    odd = {**ACCEPTED, "nodes": [2]}
    new.write("accepted.json", {"accepted": [odd]})
    new.write("nodes/n1.json", {**node(), "history": [{"run": ["x"], "at": STAMP}]})
    new.service.turn()
    assert [one["nodes"] for one in new.read("accepted.json")["accepted"]] == [2, [2]]
    assert [one["run"] for one in new.read("nodes/n1.json")["history"]] == ["19", "20", ["x"]]


def test_a_turn_goes_on_whatever_the_copies_did(
    tmp_path: Path, bucket: LocalBucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies.Copies, "restore", lambda *_: 1 // 0)
    new = Controller(tmp_path / "new", bucket)
    noted: list[float] = []
    monkeypatch.setattr(service.Service, "_watch_nodes", lambda _: noted.append(1.0))
    new.service.turn()
    new.service.turn()
    assert service.KEY in bucket.written
    assert len(noted) == 2
    assert new.log.read_text().count("ZeroDivisionError") == 1, "said once"


def _faulty(monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"name": "n1", "instance_id": "i-1", "states": ["IDLE", "DRAIN"], "partitions": ["gpu"]}
    row |= {"reason": "clusterwright: xid 79 (reboot)", "boot_time": "2026-11-01T00:00:00Z"}
    monkeypatch.setattr(slurm_view, "nodes", lambda *_: [{**row, "group": None}])


def _kinds(controller: Controller) -> list[str]:
    book = lemon.load(controller.folder / "lemons.json")
    return [one.kind for one in book.get(("n1", "i-1"), ())]


def test_a_fault_is_counted_once_if_the_bucket_is_away_at_first(
    tmp_path: Path, bucket: LocalBucket, lost: Controller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lost controller has counted it on another day: the node was a lemon after it."""
    new = Controller(tmp_path / "new", bucket)
    _faulty(monkeypatch)
    bucket.is_closed = True
    new.service.turn()
    assert _kinds(new) == []
    bucket.is_closed = False
    new.service.turn()
    assert _kinds(new) == ["xid", "xid", "xid"]


def test_faults_are_counted_without_the_copies_after_a_time(
    tmp_path: Path, bucket: LocalBucket, lost: Controller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "COPIES_SECONDS", 0.0)
    new = Controller(tmp_path / "new", bucket)
    _faulty(monkeypatch)
    bucket.is_closed = True
    new.service.turn()
    new.service.turn()
    assert _kinds(new) == ["xid"]
    (told,) = new.told()
    assert "counted twice" in told["error"]


def test_a_run_that_began_without_the_records_ends_first(
    tmp_path: Path, bucket: LocalBucket, lost: Controller, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = Controller(tmp_path / "new", bucket)
    monkeypatch.setattr(type(new.service._runs), "is_running", True)
    new.service.turn()
    assert new.read("lemons.json") == {}
    monkeypatch.setattr(type(new.service._runs), "is_running", False)
    new.service.turn()
    assert new.read("lemons.json") == lost.read("lemons.json")


def test_a_full_disk_is_said_and_tried_again(
    tmp_path: Path, bucket: LocalBucket, lost: Controller
) -> None:
    new = Controller(tmp_path / "new", bucket)
    new.folder.parent.mkdir()
    new.folder.write_text("no folder")
    new.service._restore()
    assert str(new.folder) in new.told()[0]["error"]
    new.folder.unlink()
    new.service.turn()
    assert new.read("lemons.json") == lost.read("lemons.json")
