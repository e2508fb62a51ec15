"""The service: when it publishes, and that a request is carried out once and answered."""

from __future__ import annotations

import datetime as dt
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from clusterwright_common import installation, records
from clusterwright_common.installation import Installed
from clusterwright_state import acceptance, service, slurm_view
from clusterwright_state.bucket import BucketError

from clusterwright.cluster_state.published import InstalledProgram

ID = "01JD0000000000000000000000"


class FakeBucket:
    """Objects by key; `refuses` makes the next writes fail."""

    def __init__(self) -> None:
        self.objects: dict[str, str] = {}
        self.written: list[str] = []
        self.listed: list[str] = []
        self.refuses = 0

    def put(self, key: str, content: Any) -> None:
        if self.refuses:
            self.refuses -= 1
            raise BucketError("put-object: AccessDenied")
        self.objects[key] = json.dumps(content)
        self.written.append(key)

    def get(self, key: str) -> str:
        return self.objects[key]

    def keys(self, prefix: str) -> list[str]:
        self.listed.append(prefix)
        return sorted(key for key in self.objects if key.startswith(prefix))

    def download(self, prefix: str, folder: Path, leave_out: str) -> None:
        """Nothing: `test_copies.py` has objects."""

    def answer(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.objects[f"state/answers/{ID}.json"])
        return found


class FakeSlurm:
    """The answers of `slurm_view`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.names: list[str] | None = ["n1"]
        self.login: str | None = None
        self.drained: list[str] = []
        monkeypatch.setattr(slurm_view, "nodes", self._nodes)
        monkeypatch.setattr(slurm_view, "reservations", lambda _: [{"name": "r", "nodes": []}])
        for name in ("jobs", "ended", "partitions", "running_configuration", "version"):
            monkeypatch.setattr(slurm_view, name, lambda _: None)
        monkeypatch.setattr(slurm_view, "daemons", lambda _: {"slurmctld": "up"})
        monkeypatch.setattr(service.requests, "carry_out", self._carry_out)

    def _nodes(self, *_: object) -> list[dict[str, Any]] | None:
        if self.names is None:
            return None
        return [
            {"name": name, "partitions": [] if name == self.login else ["gpu"]}
            for name in self.names
        ]

    def _carry_out(
        self, _: object, request: Any, nodes: set[str], *, reserve: bool
    ) -> dict[str, Any]:
        assert not reserve
        self.drained += [name for name in request.nodes if name in nodes]
        done = [{"node": name, "result": "drained"} for name in request.nodes]
        return service.requests.answer_of(request.id, request.verb, done, [])


@pytest.fixture
def slurm(monkeypatch: pytest.MonkeyPatch) -> FakeSlurm:
    return FakeSlurm(monkeypatch)


def made(tmp_path: Path, bucket: FakeBucket, *more: str) -> service.Service:
    options = service._parser().parse_args([*more, *arguments(tmp_path), "--once"])
    return service.Service(options, bucket)  # type: ignore[arg-type]


def arguments(tmp_path: Path) -> list[str]:
    words = ["--bucket=b", "--environment=prod", "--region=us-east-1"]
    words += [f"--handled={tmp_path}/handled.json", f"--log={tmp_path}/log.jsonl"]
    return [*words, f"--acceptance={tmp_path}/acceptance"]


def test_the_node_program_of_this_node_is_published(
    tmp_path: Path, slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    change = {"path": "/a.py", "sha256": "1", "recorded_sha256": "2"}
    found = Installed({"1" * 64: ["a"]}, [change] * 30)
    monkeypatch.setattr(installation, "read", lambda _: found)
    program = made(tmp_path, FakeBucket()).state()["configuration"]["program"]
    assert program == {"versions": found.versions, "changes": [change] * 20, "changes_count": 30}
    InstalledProgram.model_validate(program)

    def denied(_: Path) -> None:
        raise PermissionError

    for read in (denied, lambda _: None):
        monkeypatch.setattr(installation, "read", read)
        assert made(tmp_path, FakeBucket()).state()["configuration"]["program"] is None


def ask(bucket: FakeBucket, request_id: str = ID, **changes: Any) -> None:
    now = dt.datetime.now(dt.UTC)
    times = [now + dt.timedelta(minutes=minutes) for minutes in (-1, 10)]
    created, expires = (time.strftime("%Y-%m-%dT%H:%M:%SZ") for time in times)
    value = {
        "schema_version": 1,
        "id": request_id,
        "verb": "drain",
        "nodes": ["n1"],
        "because": "slow",
    }
    value |= {"created_at": created, "expires_at": expires, **changes}
    bucket.objects[f"requests/{request_id}.json"] = json.dumps(value)


def test_requests_of_this_node_are_carried_out_without_the_bucket(
    tmp_path: Path, slurm: FakeSlurm
) -> None:
    bucket = FakeBucket()
    bucket.refuses = 100
    ask(bucket)
    local = tmp_path / "local"
    (local / "requests").mkdir(parents=True)
    (local / "requests" / f"{ID}.json").write_text(bucket.objects.pop(f"requests/{ID}.json"))
    (local / "requests" / "odd.json").write_text("{}")
    running = made(tmp_path, bucket, f"--local={local}")
    running.turn()
    running.turn()
    assert slurm.drained == ["n1"]
    assert list((local / "requests").iterdir()) == []
    assert records.read(local / "answers" / f"{ID}.json")["done"][0]["result"] == "drained"
    assert [path.stem for path in (local / "answers").iterdir()] == [ID]


def test_a_malformed_request_of_this_node_is_answered_and_stops_nothing(
    tmp_path: Path, slurm: FakeSlurm
) -> None:
    bucket = FakeBucket()
    ask(bucket)
    folder = tmp_path / "local" / "requests"
    (folder / "00000000.json").mkdir(parents=True)
    (folder / "11111111.json").write_bytes(b'{"by": "\xff"')
    (folder / f"{ID}.json").write_text(bucket.objects.pop(f"requests/{ID}.json"))
    made(tmp_path, bucket, f"--local={tmp_path}/local").turn()
    assert slurm.drained == ["n1"]
    assert [path.name for path in folder.iterdir()] == ["00000000.json"]
    answer = records.read(tmp_path / "local" / "answers" / "11111111.json")
    assert answer["refused"][0]["reason"] == "the request is not a JSON object"
    assert service.KEY in bucket.objects


def test_a_run_goes_on_without_the_bucket(
    tmp_path: Path, slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Unreachable(FakeBucket):
        def keys(self, prefix: str) -> list[str]:
            raise BucketError(f"list-objects-v2 {prefix}: timed out")

    kept: list[str] = []
    monkeypatch.setattr(acceptance.Runs, "keep_going", lambda _: kept.append("run"))
    made(tmp_path, Unreachable()).turn()
    assert kept == ["run"]


def test_a_run_that_cannot_go_on_stops_no_request(
    tmp_path: Path, slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object) -> None:
        raise OSError("disk full")

    bucket = FakeBucket()
    ask(bucket)
    monkeypatch.setattr(acceptance.Runs, "keep_going", full)
    made(tmp_path, bucket).turn()
    assert slurm.drained == ["n1"]
    events = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert {"event": "run", "error": "disk full"}.items() <= events[0].items()


def test_an_unchanged_state_is_published_again_only_after_a_time(
    tmp_path: Path, slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1000.0]
    monkeypatch.setattr(service.time, "monotonic", lambda: clock[0])
    bucket = FakeBucket()
    running = made(tmp_path, bucket)
    running.turn()
    running.turn()
    assert bucket.written == [service.KEY]
    clock[0] += service.AT_LEAST_SECONDS
    running.turn()
    assert bucket.written == [service.KEY] * 2
    slurm.names = ["n1", "n2"]
    running.turn()
    assert bucket.written == [service.KEY] * 3
    published = json.loads(bucket.objects[service.KEY])
    assert [node["name"] for node in published["nodes"]] == ["n1", "n2"]
    assert published["environment"] == "prod"
    assert published["ended"] is None
    assert published["written_at"].endswith("Z")


def test_a_request_is_carried_out_once_and_answered(tmp_path: Path, slurm: FakeSlurm) -> None:
    bucket = FakeBucket()
    ask(bucket)
    running = made(tmp_path, bucket)
    running.turn()
    running.turn()
    made(tmp_path, bucket).turn()
    assert slurm.drained == ["n1"]
    assert bucket.answer()["done"] == [{"node": "n1", "result": "drained"}]
    assert bucket.written.count(f"state/answers/{ID}.json") == 1


def test_a_replaced_controller_repeats_no_request(tmp_path: Path, slurm: FakeSlurm) -> None:
    """A controller that was replaced drained a node again, whose request was older."""
    bucket = FakeBucket()
    ask(bucket)
    made(tmp_path / "first", bucket).turn()
    replaced = made(tmp_path / "replaced", bucket)
    replaced.turn()
    assert slurm.drained == ["n1"]
    listed = bucket.listed.count("state/answers/")
    replaced.turn()
    made(tmp_path / "replaced", bucket).turn()
    assert bucket.listed.count("state/answers/") == listed, "it knows which are answered"


def test_an_answer_that_is_not_sent_is_not_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "_MOST_HANDLED", 2)
    path = str(tmp_path / "handled.json")
    service._write_handled(
        path, {"sent": None, "waiting": {"id": "waiting"}, "b": None, "c": None}
    )
    assert service._read_handled(path) == {"waiting": {"id": "waiting"}, "b": None, "c": None}


def test_requests_are_carried_out_in_the_order_of_their_times(
    tmp_path: Path, slurm: FakeSlurm
) -> None:
    bucket = FakeBucket()
    now = dt.datetime.now(dt.UTC)
    for name, minutes_ago in (("a" * 26, 1), ("b" * 26, 3), ("c" * 26, 2)):
        created = (now - dt.timedelta(minutes=minutes_ago)).strftime("%Y-%m-%dT%H:%M:%SZ")
        ask(bucket, name, nodes=[f"n{minutes_ago}"], created_at=created)
    slurm.names = ["n1", "n2", "n3"]
    made(tmp_path, bucket).turn()
    assert slurm.drained == ["n3", "n2", "n1"]


def test_an_answer_that_could_not_be_sent_is_sent_later(tmp_path: Path, slurm: FakeSlurm) -> None:
    bucket = FakeBucket()
    ask(bucket)
    bucket.refuses = 1
    made(tmp_path, bucket).turn()
    assert f"state/answers/{ID}.json" not in bucket.objects
    made(tmp_path, bucket).turn()
    assert bucket.answer()["done"] == [{"node": "n1", "result": "drained"}]
    assert slurm.drained == ["n1"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"verb": "shutdown"}, "the verb must be one of accept, drain, reboot, resume"),
        ({"schema_version": 9}, "schema_version must be 1"),
    ],
)
def test_an_invalid_request_is_answered_with_the_reason(
    tmp_path: Path, slurm: FakeSlurm, changes: dict[str, Any], reason: str
) -> None:
    bucket = FakeBucket()
    ask(bucket, **changes)
    made(tmp_path, bucket).turn()
    assert bucket.answer()["refused"] == [{"node": "", "reason": reason}]
    assert slurm.drained == []


def test_acceptance_is_started_and_its_results_are_published(
    tmp_path: Path, slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acceptance, "command", lambda *_: ["/bin/true"])
    bucket = FakeBucket()
    ask(bucket, verb="accept", nodes=[], level="quick")
    slurm.names, slurm.login = ["login-1", "n1"], "login-1"
    running = made(tmp_path, bucket)
    running.turn()
    assert bucket.answer()["done"] == [{"node": "n1", "result": "level quick started"}]
    assert json.loads(bucket.objects[service.KEY])["acceptance"] is None
    node = {"state": "accepted", "level": "quick", "tested_at": "2026-11-23T08:00:00Z"}
    records.write(tmp_path / "acceptance/nodes/n1.json", node)
    running.turn()
    assert json.loads(bucket.objects[service.KEY])["acceptance"]["n1"]["state"] == "accepted"
    assert json.loads(bucket.objects["state/acceptance/n1.json"]) == node


def test_a_silent_controller_is_the_answer(tmp_path: Path, slurm: FakeSlurm) -> None:
    slurm.names = None
    bucket = FakeBucket()
    ask(bucket)
    made(tmp_path, bucket).turn()
    assert bucket.answer()["refused"] == [{"node": "", "reason": "slurmctld does not respond"}]


def test_an_unreachable_bucket_is_logged_once(tmp_path: Path, slurm: FakeSlurm) -> None:
    bucket = FakeBucket()
    bucket.refuses = 2
    running = made(tmp_path, bucket)
    running.turn()
    running.turn()
    running.turn()
    events = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [(e["event"], e.get("error")) for e in events] == [
        ("unreachable", "put-object: AccessDenied")
    ]
    assert service.KEY in bucket.objects


def test_rechecks_start_by_the_option_and_histories_are_published(
    tmp_path: Path, slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []
    history = {"n1": {"instance_id": "i-1", "advice": "replace"}}
    monkeypatch.setattr(
        service.rechecks.Rechecks, "start", lambda *words: asked.append(words[-1]) or ["n1"]
    )
    monkeypatch.setattr(service.histories.Histories, "published", lambda *_: history)
    reservations = [
        {"name": "clusterwright_spares_workers", "nodes": ["n1"]},
        {"name": "maintenance", "nodes": ["n2"]},
    ]
    monkeypatch.setattr(slurm_view, "reservations", lambda _: reservations)
    bucket = FakeBucket()
    made(tmp_path, bucket).turn()
    assert asked == []
    made(tmp_path, bucket, "--recheck=standard,168").turn()
    assert asked == [{"n1": "clusterwright_spares_workers"}]
    assert '"event": "recheck", "nodes": ["n1"]' in (tmp_path / "log.jsonl").read_text()
    assert json.loads(bucket.objects[service.KEY])["history"] == history


def test_a_fault_of_the_histories_keeps_the_state_published(
    tmp_path: Path, slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service.histories.Histories, "note", lambda *_: 1 // 0)
    bucket = FakeBucket()
    made(tmp_path, bucket).turn()
    assert bucket.written == [service.KEY]
    assert "ZeroDivisionError" in (tmp_path / "log.jsonl").read_text()


@pytest.mark.parametrize("words", ["quick", "quick,", "often,3", "quick,x"])
def test_a_wrong_option_of_rechecks_is_refused(tmp_path: Path, words: str) -> None:
    with pytest.raises(SystemExit):
        made(tmp_path, FakeBucket(), f"--recheck={words}")


class Ended(BaseException):
    """Ends a loop that does not return."""


@pytest.mark.parametrize(("words", "threads"), [([], []), (["--hold=quick"], ["hold"])])
def test_nodes_are_held_while_a_turn_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], threads: list[str]
) -> None:
    looked, turns = threading.Event(), iter([1, 2])

    def turn(_: service.Service) -> None:
        if next(turns) == 1:
            assert not looked.is_set()
            return
        assert [each.name for each in threading.enumerate() if each.name == "hold"] == threads
        if threads:
            assert looked.wait(30)
        raise Ended

    def look(_: service.Service) -> None:
        looked.set()
        raise Ended  # of the thread

    monkeypatch.setattr(service.Service, "turn", turn)
    monkeypatch.setattr(service.Service, "_keep_hold", look)
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    with pytest.raises(Ended):
        service.main(["--every-seconds=0", *words, *arguments(tmp_path)])


def test_a_fault_of_the_hold_is_logged_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = made(tmp_path, FakeBucket(), "--hold=quick")
    divisors = [0, 0, 1, 0]

    def wait(_: service.LookPace) -> None:
        if not divisors:
            raise Ended

    monkeypatch.setattr(service.LookPace, "wait", wait)
    monkeypatch.setattr(one, "_keep_hold", lambda: 1 // divisors.pop(0))
    with pytest.raises(Ended):
        one.keep_holding()
    assert (tmp_path / "log.jsonl").read_text().count('"bug"') == 2


def test_a_log_that_cannot_be_written_does_not_end_the_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The thread would end, and the service go on without it."""
    (tmp_path / "log.jsonl").mkdir()
    one = made(tmp_path, FakeBucket(), "--hold=quick")
    looks = iter([ZeroDivisionError, OSError, Ended])

    def look() -> None:
        raise next(looks)

    monkeypatch.setattr(service.LookPace, "wait", lambda _: None)
    monkeypatch.setattr(one, "_keep_hold", look)
    with pytest.raises(Ended):
        one.keep_holding()
    printed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["event"] for each in printed] == ["bug", "log", "bug", "log"]
    assert "log.jsonl" in printed[1]["error"]


def test_the_command_line_runs_one_turn(
    tmp_path: Path, slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = FakeBucket()
    monkeypatch.setattr(service, "Bucket", lambda name, region: bucket)
    assert service.main([*arguments(tmp_path), "--once"]) == 0
    assert bucket.written == [service.KEY]
