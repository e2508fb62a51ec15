"""The history of Xid events survives reboots, is bounded, and belongs to one instance."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from clusterwright_common import xid, xid_history
from clusterwright_common.probe import Probe

NOW = 1_800_000_000.0
TAG = "sys/devices/virtual/dmi/id/board_asset_tag"


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    write(tmp_path, "proc/sys/kernel/random/boot_id", "boot-1\n")
    write(tmp_path, "proc/stat", f"cpu 1 2\nbtime {int(NOW) - 1000}\n")
    write(tmp_path, TAG, "i-0abc\n")
    return tmp_path


def write(root: Path, path: str, text: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def update(machine: Path, *lines: str, now: float = NOW) -> list[xid.Event]:
    return xid_history.update(Probe(str(machine)), xid.parse(lines), now)


def line(code: int, at: float, pid: int = 7) -> str:
    return f"[{at:.6f}] NVRM: Xid (PCI:0000:b9:00): {code}, pid={pid}, name=python, text"


def test_event_is_kept_once_over_runs_and_reboots(machine: Path) -> None:
    write(machine, "sys/fs/cgroup/system.slice/slurmstepd.scope/job_101/cpu.max", "")
    (first,) = update(machine, line(13, 100.0))
    assert first == xid.Event(NOW - 900, "boot-1", "0000:b9:00", 13, "101", 7)
    # Later the job has ended; the event keeps the job that ran when it was first seen.
    (machine / "sys/fs/cgroup/system.slice/slurmstepd.scope/job_101").rename(machine / "gone")
    assert update(machine, line(13, 100.0), now=NOW + 300) == [first]
    write(machine, "proc/sys/kernel/random/boot_id", "boot-2\n")
    assert update(machine, now=NOW + 600) == [first]
    assert len(update(machine, line(13, 100.0), now=NOW + 900)) == 2


def test_line_without_a_time_is_one_event(machine: Path) -> None:
    text = line(13, 1.0).split("] ")[1]
    update(machine, text)
    assert len(update(machine, text, now=NOW + 3000)) == 1


def test_thousands_of_messages_are_few_events(machine: Path) -> None:
    found = update(machine, *(line(13, 100 + number / 10) for number in range(3000)))
    assert len(found) == 5


def test_lost_gpu_counts_as_79_and_switch_errors_do_not_count(machine: Path) -> None:
    found = update(
        machine,
        "[5.0] NVRM: GPU 0000:b9:00.0: GPU has fallen off the bus.",
        "[6.0] nvidia-nvswitch0: SXid (PCI:0000:c3:00.0): 20009, Fatal, Link 28",
    )
    assert [event.code for event in found] == [79]


def test_old_events_go_and_the_file_is_bounded(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xid_history, "KEPT_EVENTS", 3)
    update(machine, *(line(13, 100.0, pid) for pid in range(5)))
    assert len(update(machine)) == 3
    later = NOW + xid_history.KEPT_DAYS * 86_400 + 1
    assert update(machine, now=later) == []


def test_history_of_another_instance_is_not_used(machine: Path) -> None:
    update(machine, line(95, 100.0))
    write(machine, TAG, "i-0new\n")
    assert update(machine) == []
    write(machine, TAG, "Amazon EC2\n")
    assert xid_history.instance_id(Probe(str(machine))) is None


def test_damaged_rows_are_left_out(machine: Path) -> None:
    update(machine, line(95, 100.0))
    path = machine / xid_history.FILE.lstrip("/")
    content = json.loads(path.read_text())
    content["events"] += [{"time": "x"}, 3, {}]
    path.write_text(json.dumps(content))
    assert len(update(machine)) == 1
    content["events"] = None
    path.write_text(json.dumps(content))
    assert update(machine) == []


def test_full_disk_keeps_the_verdicts(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr("clusterwright_common.records.write", full)
    assert len(update(machine, line(95, 100.0))) == 1
    assert capsys.readouterr().out == "clusterwright_common: No space left on device\n"


def test_job_is_known_only_if_one_runs(machine: Path) -> None:
    probe = Probe(str(machine))
    assert xid_history.job_of_node(probe) is None
    write(machine, "sys/fs/cgroup/memory/slurm/uid_1000/job_7/tasks", "")
    assert xid_history.job_of_node(probe) == "7"
    write(machine, "sys/fs/cgroup/memory/slurm/uid_1000/job_8/tasks", "")
    assert xid_history.job_of_node(probe) is None
