"""The real machine: commands with deadlines, files written atomically."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from clusterwright_node import machine as machine_module
from clusterwright_node.errors import CommandError, CommandOutOfTime
from clusterwright_node.machine import Machine
from clusterwright_node.systemd import escaped

SLEEPER = (sys.executable, "-S", "-c", "import time; time.sleep(60)")


def test_command_returns_its_code_and_output() -> None:
    result = Machine().query("sh", "-c", "echo out; echo err >&2; exit 3")
    assert (result.returncode, result.stdout, result.stderr) == (3, "out\n", "err\n")
    assert not result.ok
    assert result.said == "err"


def test_long_output_is_truncated() -> None:
    result = Machine().query("sh", "-c", "yes line | head -200")
    assert len(result.said) == 300


def test_failed_change_raises_with_its_output() -> None:
    with pytest.raises(CommandError, match="`sh -c echo no >&2; exit 7` exited 7: no"):
        Machine().change("sh", "-c", "echo no >&2; exit 7")


def test_missing_command_is_reported() -> None:
    with pytest.raises(CommandError, match="the image has no command no-such-thing"):
        Machine().query("no-such-thing")
    assert not Machine().has_command("no-such-thing")
    assert Machine().has_command("sh")


def test_hanging_command_is_killed_with_its_children(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    began = time.monotonic()
    with pytest.raises(CommandError, match=r"did not end within 0 s and was killed"):
        Machine().query("sh", "-c", f"sleep 60 & echo $! > {note}; wait", timeout_seconds=0.3)
    assert time.monotonic() - began < 10
    child = int(note.read_text())
    for _ in range(50):
        try:
            state = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return
        if state == "Z":
            return  # ended; its new parent has not collected it yet
        time.sleep(0.1)
    raise AssertionError("the child of the killed command still runs")


def test_command_is_limited_to_the_remaining_time_of_the_step() -> None:
    machine = Machine()
    began = time.monotonic()
    with machine.limited(0.3), pytest.raises(CommandOutOfTime, match="was killed"):
        machine.query(*SLEEPER, timeout_seconds=60)
    assert time.monotonic() - began < 10
    with machine.limited(60), pytest.raises(CommandError, match="was killed") as raised:
        machine.query(*SLEEPER, timeout_seconds=0.1)
    assert not isinstance(raised.value, CommandOutOfTime)


def test_an_interrupted_wait_kills_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the alarm of a step is raised."""
    killed = []
    real = machine_module.Machine._kill
    monkeypatch.setattr(
        machine_module.Machine, "_kill", staticmethod(lambda p: (killed.append(p.pid), real(p)))
    )

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("subprocess.Popen.communicate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Machine().query(*SLEEPER)
    assert len(killed) == 1


def test_folder_of_slurm_is_on_the_search_path_after_the_users_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/mine")
    assert Machine()._search_path().startswith("/mine:/opt/slurm/bin:")
    monkeypatch.delenv("PATH")
    assert Machine()._search_path().startswith("/opt/slurm/bin:")


def test_file_is_replaced_atomically_with_its_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []

    def sync(handle: int) -> None:
        synced.append(str(Path(f"/proc/self/fd/{handle}").readlink()))

    monkeypatch.setattr(os, "fsync", sync)
    machine = Machine(str(tmp_path))
    machine.write_text("/etc/a/b.conf", "one")
    path = tmp_path / "etc/a/b.conf"
    before = path.stat().st_ino
    machine.write_text("/etc/a/b.conf", "two", mode=0o600)
    assert path.read_text() == "two"
    assert path.stat().st_ino != before
    assert path.stat().st_mode & 0o7777 == 0o600
    assert sorted(path.parent.iterdir()) == [path]
    assert synced.count(str(tmp_path / "etc/a/.b.conf.clusterwright-new")) == 2
    assert synced.count(str(tmp_path / "etc/a")) == 2, "the rename is durable too"


def test_leftover_of_an_interrupted_write_is_replaced(tmp_path: Path) -> None:
    machine = Machine(str(tmp_path))
    victim = tmp_path / "victim"
    victim.write_text("safe")
    (tmp_path / ".x.clusterwright-new").symlink_to(victim)
    machine.write_text("/x", "text")
    assert victim.read_text() == "safe"
    assert (tmp_path / "x").read_text() == "text"


def test_owner_of_a_replaced_file_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """slurm.conf belongs to slurm, also after a line was added."""
    given: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "fchown", lambda _, uid, gid: given.append((uid, gid)))
    monkeypatch.setattr(os, "geteuid", lambda: -1)
    (tmp_path / "x").write_text("one")
    Machine(str(tmp_path)).write_text("/x", "two")
    assert given == [((tmp_path / "x").stat().st_uid, (tmp_path / "x").stat().st_gid)]


def test_missing_file_is_read_as_none(tmp_path: Path) -> None:
    machine = Machine(str(tmp_path))
    assert machine.read_text("/no") is None
    assert machine.mode_of("/no") is None
    assert list(machine.listing("/no")) == []
    assert not machine.exists("/no")
    machine.remove("/no")


def test_observing_changes_nothing(tmp_path: Path) -> None:
    machine = Machine(str(tmp_path))
    changes: list[Callable[[], object]] = [
        lambda: machine.write_text("/x", ""),
        lambda: machine.make_directory("/d"),
        lambda: machine.remove("/x"),
        lambda: machine.set_mode("/x", 0o600),
        lambda: machine.change("true"),
    ]
    for change in changes:
        with machine.observing(), pytest.raises(AssertionError, match="must not change"):
            change()
    assert list(tmp_path.iterdir()) == []
    machine.change("true")


def test_the_mode_of_what_a_link_names_stays(tmp_path: Path) -> None:
    machine = Machine(str(tmp_path))
    machine.make_directory("/d", mode=0o700)
    (tmp_path / "link").symlink_to(tmp_path / "d")
    with pytest.raises(OSError, match="symbolic links"):
        machine.set_mode("/link", 0o777)
    assert machine.mode_of("/d") == 0o700


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        ("/fsx", "fsx"),
        ("/opt/dlami/nvme", "opt-dlami-nvme"),
        ("/mnt/my-corpus", "mnt-my\\x2dcorpus"),
        ("/mnt/a@b+c", "mnt-a\\x40b\\x2bc"),
        ("/.hidden/x", "\\x2ehidden-x"),
    ],
)
def test_unit_names_are_escaped(path: str, unit: str) -> None:
    assert escaped(path) == unit
