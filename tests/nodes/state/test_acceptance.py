"""Acceptance runs: started once, kept going, published where they changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from clusterwright_common import records
from clusterwright_state import acceptance
from clusterwright_state.acceptance import Runs

from tests.support import acceptance_of_1024

RUN = "20261123T080000Z-000000000001"


class FakeBucket:
    def __init__(self) -> None:
        self.written: list[str] = []

    def put(self, key: str, content: Any) -> None:
        json.dumps(content)
        self.written.append(key)


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A program that writes its arguments, and the report if `works` exists."""
    body = f"""
folder={tmp_path}
echo "$*" >> $folder/started
echo 'the disk is full' >&2
test -e $folder/works || exit 1
mkdir -p $folder/runs/{RUN}
echo '{{"status": "ended"}}' > $folder/runs/{RUN}.json
touch $folder/runs/{RUN}/ended
"""
    script = tmp_path / "program.sh"
    script.write_text(body)
    real = acceptance.command
    monkeypatch.setattr(
        acceptance, "command", lambda run, wanted: ["/bin/sh", str(script), *real(run, wanted)[5:]]
    )
    return tmp_path


def finished(runs: Runs) -> None:
    process = runs._process
    assert process is not None
    process.wait(timeout=30)


def test_a_run_is_started_once_and_ends(program: Path) -> None:
    (program / "works").touch()
    runs = Runs(str(program))
    assert runs.unfinished() is None
    runs.start(RUN, "standard", ["n1", "n2"], {"/fsx": (38400, 500)})
    assert runs.unfinished() == RUN or (program / "runs" / RUN / "ended").exists()
    runs.keep_going()
    finished(runs)
    assert runs.unfinished() is None
    runs.keep_going()
    assert (program / "started").read_text().splitlines() == [
        f"--run={RUN} --level=standard --node=n1 --node=n2 --lustre=/fsx=38400,500"
    ]


def test_a_run_of_a_service_that_was_killed_goes_on(program: Path) -> None:
    first = Runs(str(program))
    first.start(RUN, "quick", [], {})
    finished(first)
    (program / "works").touch()
    again = Runs(str(program))
    assert again.unfinished() == RUN
    again.keep_going()
    finished(again)
    assert again.unfinished() is None


def test_a_recheck_gives_way_to_another_run(program: Path) -> None:
    runs = Runs(str(program))
    recheck = "20261123T070000Z-recheck"
    runs.start(recheck, "quick", ["n1"], {})
    assert (runs.unfinished(), runs.busy()) == (recheck, None)
    (program / "works").touch()
    runs.start(RUN, "quick", ["n1"], {})
    finished(runs)
    report = records.read(program / f"runs/{recheck}.json")
    assert (report["status"], report["reason"]) == ("ended", f"stopped: the run {RUN} was started")
    assert (program / f"runs/{RUN}/ended").exists()
    assert "--gives-way" in acceptance.command(recheck, {})
    assert "--gives-way" not in acceptance.command(RUN, {})


def test_a_run_that_always_ends_early_has_failed_with_its_last_line(program: Path) -> None:
    runs = Runs(str(program))
    runs.start(RUN, "quick", [], {})
    for _ in range(acceptance.MOST_ATTEMPTS):
        finished(runs)
        runs.keep_going()
    report = records.read(program / "runs" / f"{RUN}.json")
    assert report["status"] == "failed"
    assert report["reason"] == ("the program ended 5 times without a result: the disk is full")
    assert runs.unfinished() is None
    assert len((program / "started").read_text().splitlines()) == acceptance.MOST_ATTEMPTS


def test_a_run_that_has_failed_keeps_its_report_of_1024_nodes(program: Path) -> None:
    report = program / "runs" / f"{RUN}.json"
    records.write(report, {**acceptance_of_1024.report(RUN), "status": "running"})
    assert report.stat().st_size > records.LARGEST_BYTES
    runs = Runs(str(program))
    runs.start(RUN, "full", [], {})
    for _ in range(acceptance.MOST_ATTEMPTS):
        finished(runs)
        runs.keep_going()
    found = json.loads(report.read_text())
    assert found["status"] == "failed"
    assert len(found["nodes"]) == acceptance_of_1024.NODES


def test_only_changes_are_published_and_reports_come_first(tmp_path: Path) -> None:
    records.write(tmp_path / "runs/r.json", {"status": "running"})
    for number in range(acceptance.MOST_WRITES + 4):
        records.write(tmp_path / f"nodes/n{number:02}.json", {"state": "accepted"})
    bucket, runs = FakeBucket(), Runs(str(tmp_path))
    runs.publish(bucket)  # type: ignore[arg-type]
    assert bucket.written[:2] == ["state/acceptance/runs/r.json", "state/acceptance/n00.json"]
    assert len(bucket.written) == acceptance.MOST_WRITES
    Runs(str(tmp_path)).publish(bucket)  # type: ignore[arg-type]
    assert len(bucket.written) == acceptance.MOST_WRITES + 5
    runs.publish(bucket)  # type: ignore[arg-type]
    assert len(bucket.written) == acceptance.MOST_WRITES + 5
    records.write(tmp_path / "runs/r.json", {"status": "ended"})
    runs.publish(bucket)  # type: ignore[arg-type]
    assert bucket.written[-1] == "state/acceptance/runs/r.json"


def node(**changes: Any) -> dict[str, Any]:
    return {"name": "n1", "instance_id": "i-1", "boot_time": "2026-11-23T06:00:00Z", **changes}


def kept(tmp_path: Path, **more: Any) -> Runs:
    records.write(
        tmp_path / "nodes/n1.json",
        {
            "state": "rejected",
            "reason": "gpu-count: 7 of 8",
            "action": "replace",
            "level": "quick",
            "since": "2026-11-23T08:00:00Z",
            "tested_at": "2026-11-23T08:00:00Z",
            "instance_id": "i-1",
            **more,
        },
    )
    return Runs(str(tmp_path))


def test_the_state_of_a_node_is_that_of_its_last_test(tmp_path: Path) -> None:
    assert kept(tmp_path).states([node(), {"name": "n2"}]) == {
        "n1": {
            "state": "rejected",
            "reason": "gpu-count: 7 of 8",
            "action": "replace",
            "level": "quick",
            "since": "2026-11-23T08:00:00Z",
        }
    }
    assert kept(tmp_path).states([node(instance_id=None, boot_time=None)]) is not None


@pytest.mark.parametrize(
    "changes", [{"boot_time": "2026-11-23T09:00:00Z"}, {"instance_id": "i-2"}]
)
def test_a_node_that_started_since_then_is_new(tmp_path: Path, changes: dict[str, Any]) -> None:
    found = kept(tmp_path).states([node(**changes)])
    assert found is not None
    assert (found["n1"]["state"], found["n1"]["action"]) == ("new", None)
    assert "2026-11-23T08:00:00Z" in found["n1"]["reason"]


def test_a_test_at_boot_is_of_this_boot(tmp_path: Path) -> None:
    """slurmctld's BootTime was a second later than the end of the test at this boot."""
    for boot, state in (("08:00:03", "rejected"), ("08:00:04", "new")):
        found = kept(tmp_path).states([node(boot_time=f"2026-11-23T{boot}Z")])
        assert found is not None
        assert found["n1"]["state"] == state
    found = kept(tmp_path).states([node()], {"n1": "2026-11-23T08:00:01Z"})
    assert found is not None
    assert found["n1"]["state"] == "new"


def test_the_node_program_is_known_until_the_next_boot(tmp_path: Path) -> None:
    program = {"sha256": "1" * 64}
    for found, boot, known in (
        (program, "06:00:00", program),
        (program, "09:00:00", None),
        ({"sha256": 1}, "06:00:00", None),
        (None, "06:00:00", None),
    ):
        runs = kept(tmp_path, program=found)
        states = runs.states([node(boot_time=f"2026-11-23T{boot}Z")])
        assert states is not None
        assert states["n1"].get("program") == known


def test_without_tests_nothing_is_known(tmp_path: Path) -> None:
    assert Runs(str(tmp_path)).states([node()]) is None
    assert Runs(str(tmp_path)).states(None) is None


def test_old_runs_are_forgotten(program: Path) -> None:
    (program / "works").touch()
    for number in range(acceptance.MOST_RUNS + 3):
        name = f"20261122T{number:06}Z-1"
        records.write(program / "wanted" / f"{name}.json", {"level": "quick"})
        records.write(program / "runs" / name / "ended", {})
        records.write(program / "runs" / f"{name}.json", {})
    runs = Runs(str(program))
    runs.start(RUN, "quick", [], {})
    finished(runs)
    left = sorted(path.stem for path in (program / "wanted").glob("*.json"))
    assert len(left) == acceptance.MOST_RUNS
    assert left[-1] == RUN
    assert not (program / "runs/20261122T000000Z-1").exists()
    assert not (program / "runs/20261122T000000Z-1.json").exists()
