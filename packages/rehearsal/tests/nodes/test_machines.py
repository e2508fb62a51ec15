"""Machines by their files and commands, without starting one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes import machines
from clusterwright_rehearsal.nodes.machines import CommandResult, Machine, MachineDown, Site
from clusterwright_rehearsal.registry import Registry, start_time


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    site = Site("r1", tmp_path, tmp_path / "image", Mock(), Registry(tmp_path))
    return Machine(site, "ip-10-0-0-5", "10.0.0.5")


@pytest.mark.parametrize(
    ("stdout", "stderr", "expected"),
    [
        ("out\n", "", "out"),
        ("out", "first\n  second\n", "first second"),
        ("", "", ""),
        ("", "x" * 600, "x" * 500),
    ],
)
def test_the_end_of_an_output_is_one_line(stdout: str, stderr: str, expected: str) -> None:
    assert CommandResult(1, stdout, stderr, 0.1).output_tail == expected
    assert not CommandResult(1, stdout, stderr, 0.1).ok
    assert CommandResult(0, stdout, stderr, 0.1).ok


def test_files_are_written_to_the_disk_before_the_first_boot(machine: Machine) -> None:
    machine.write_files({"/etc/a/b.conf": "text", "/opt/bin": b"\x00"}, mode=0o600)
    disk = machine.folder / "disk"
    assert (disk / "etc/a/b.conf").read_text() == "text"
    assert (disk / "opt/bin").read_bytes() == b"\x00"
    assert (disk / "etc/a/b.conf").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in (disk / "etc/a").iterdir()) == ["b.conf"]


def write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_new_image_keeps_folders_of_the_disk_and_of_the_former_image(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks: list[tuple[Path, str]] = []
    monkeypatch.setattr(machines.os, "setxattr", lambda path, name, _: marks.append((path, name)))
    state = machine.folder / "disk/var/lib/state"
    for name in ("same", "changed"):
        write(tmp_path / "image/var/lib/state" / name, "image")
    write(state / "changed", "disk").chmod(0o640)
    write(state / "deep/own", "disk")
    write(machine.folder / "disk/etc/left", "disk")
    write(machine.folder / "work/index")
    machine.reinstall(tmp_path / "newer", ["/var/lib/state", "/var/lib/absent"])
    found = {path.relative_to(state).as_posix(): path for path in state.rglob("*")}
    assert found.keys() == {"same", "changed", "deep", "deep/own"}
    assert (found["same"].read_text(), found["changed"].read_text()) == ("image", "disk")
    assert found["changed"].stat().st_mode & 0o777 == 0o640
    assert marks == [(state, "trusted.overlay.opaque")]
    assert sorted(path.name for path in machine.folder.iterdir()) == ["disk"]
    assert not (machine.folder / "disk/etc").exists()
    assert machine.image == tmp_path / "newer"


def test_an_overlay_is_on_the_machines_own_image(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[list[str]] = []

    def run(words: list[str], **_: Any) -> Any:
        calls.append(words)
        return SimpleNamespace(returncode=32, stderr="")

    monkeypatch.setattr(Site, "cgroups", lambda _: [])
    monkeypatch.setattr(machines.subprocess, "run", run)
    for image in (None, tmp_path / "newer"):
        machine.image = image
        with pytest.raises(RehearsalError):
            machine.boot()
    lower = [words[words.index("-o") + 1].split(",")[0] for words in calls]
    assert lower == [f"lowerdir={tmp_path / 'image'}", f"lowerdir={tmp_path / 'newer'}"]


def test_a_machine_that_is_down_runs_nothing(machine: Machine) -> None:
    assert (machine.is_up(), machine.leader) == (False, None)
    with pytest.raises(MachineDown, match="ip-10-0-0-5 is not running"):
        machine.run("true")
    machine.wait_until_down()


@pytest.mark.parametrize(("code", "reboots"), [(None, False), (0, False), (133, True)])
def test_a_machine_says_whether_it_reboots(
    machine: Machine, code: int | None, *, reboots: bool
) -> None:
    assert not machine.reboots
    machine._nspawn = Mock(poll=lambda: code)
    assert machine.reboots is reboots


class TestLocate:
    def describe(self, machine: Machine, started: str) -> None:
        machine.folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"leader": os.getpid(), "started": started})
        (machine.folder / "machine.json").write_text(text)
        machine.locate()

    def test_by_the_file_of_another_process(self, machine: Machine) -> None:
        self.describe(machine, start_time(os.getpid()))
        assert machine.leader == os.getpid()

    def test_a_reused_process_id_is_not_the_machine(self, machine: Machine) -> None:
        self.describe(machine, "another time")
        assert not machine.is_up()

    @pytest.mark.parametrize("text", [None, "{"])
    def test_without_a_readable_file_it_is_down(self, machine: Machine, text: str | None) -> None:
        if text is not None:
            machine.folder.mkdir(parents=True)
            (machine.folder / "machine.json").write_text(text)
        machine.locate()
        assert not machine.is_up()


def test_commands_enter_the_machine_in_its_own_cgroup(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Site, "cgroups", lambda _: [Path("/cg/clusterwright-r1")])
    machine._leader = 77
    words = machine.enter_command(["echo", "a b"])
    assert words[:2] == ["/bin/sh", "-c"]
    assert words[2] == (
        'echo $$ >/cg/clusterwright-r1/ip-10-0-0-5/payload/cgroup.procs 2>/dev/null; exec "$@"'
    )
    assert words[4:] == [
        *("nsenter", "-t", "77", "-m", "-u", "-i", "-n", "-p", "-C", "--"),
        *("echo", "a b"),
    ]


@pytest.mark.parametrize(
    ("user", "home", "start"),
    [
        ("root", "/root", ["/bin/bash", "-c", "true"]),
        ("ubuntu", "/home/ubuntu", ["/usr/sbin/runuser", "-u", "ubuntu", "--", "/bin/bash"]),
    ],
)
def test_a_command_has_only_the_machines_environment(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, user: str, home: str, start: list[str]
) -> None:
    popen = Mock()
    monkeypatch.setattr(machines.subprocess, "Popen", popen)
    monkeypatch.setattr(Machine, "is_up", lambda _: True)
    monkeypatch.setattr(Machine, "enter_command", lambda _, words: words)
    machine.set_environment({"AWS_ENDPOINT_URL": "http://10.0.0.1"})
    machine.start("true", user=user, environment={"A": "1"})
    (words,) = popen.call_args.args
    assert words[:2] == ["/usr/bin/env", "-i"]
    variables = dict(word.split("=", 1) for word in words[2:] if "=" in word)
    assert (variables["HOME"], variables["USER"]) == (home, user)
    assert (variables["AWS_ENDPOINT_URL"], variables["A"]) == ("http://10.0.0.1", "1")
    rest = [word for word in words[2:] if "=" not in word]
    assert rest[: len(start)] == start


def test_an_overlay_that_cannot_be_mounted_is_reported(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Site, "cgroups", lambda _: [])
    failed = SimpleNamespace(returncode=32, stderr=" wrong fs type\n")
    monkeypatch.setattr(machines.subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(RehearsalError, match="ip-10-0-0-5: overlay: wrong fs type"):
        machine.boot()
    recorded = [(entry.kind, entry.name) for entry in machine.site.registry.resources()]
    assert recorded == [("mount", str(machine.root))]


def test_a_machine_whose_nspawn_ends_is_reported_with_its_console(machine: Machine) -> None:
    machine.folder.mkdir(parents=True)
    (machine.folder / "console.log").write_text("booting\nno such image\n")
    nspawn: Any = Mock()
    nspawn.poll.return_value = 1
    machine._nspawn = nspawn
    with pytest.raises(RehearsalError, match="systemd-nspawn ended: booting\nno such image"):
        machine._wait_for_leader()


def test_removing_keeps_the_console_log(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Site, "cgroups", lambda _: [])
    monkeypatch.setattr(machines.subprocess, "run", Mock())
    machine.write_files({"/etc/a": "x"})
    (machine.folder / "console.log").write_text("text")
    (machine.folder / "machine.json").write_text("{}")
    machine.remove()
    assert machine.console() == "text"
    assert not (machine.folder / "disk").exists()
    assert not (machine.folder / "machine.json").exists()
    machine.site.network.disconnect.assert_called_once_with("ip-10-0-0-5")  # type: ignore[attr-defined]
