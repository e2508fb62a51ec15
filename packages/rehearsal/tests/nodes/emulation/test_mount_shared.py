"""mount.lustre and mount.nfs as bind mounts of shared folders."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from packages.rehearsal.tests.nodes.emulation.conftest import Call

Mount = Callable[..., tuple[int, str]]
HOST = "fs-1.fsx.us-east-1.amazonaws.com"


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that mount; names resolve."""
    found: list[list[str]] = []

    def run(words: list[str], **_: Any) -> SimpleNamespace:
        found.append(words)
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: [])
    monkeypatch.setattr(os.path, "isdir", lambda path: "missing" not in path)
    monkeypatch.setattr(os.path, "exists", lambda path: "silent" in path)
    monkeypatch.setattr(os.path, "realpath", lambda path: path)
    return found


@pytest.fixture
def mount(call: Call, commands: list[list[str]]) -> Mount:
    def called(program: str, *words: str) -> tuple[int, str]:
        code, _, printed = call("mount_shared", program, *words)
        return code, printed

    return called


def test_lustre_is_a_folder_and_is_recorded(
    mount: Mount, machine: Path, commands: list[list[str]]
) -> None:
    code, _ = mount("mount.lustre", f"{HOST}@tcp:/abc", "/fsx", "-o", "noatime,flock")
    assert code == 0
    folder = f"/srv/emulation/lustre/{HOST}/abc"
    assert commands == [["/usr/bin/mount", "-o", "bind,_netdev", folder, "/fsx"]]
    assert json.loads((machine.parent / "mounts.json").read_text()) == {
        "/fsx": {
            "source": f"{HOST}@tcp:/abc",
            "fstype": "lustre",
            "options": "rw,noatime,flock",
        }
    }


@pytest.mark.parametrize(("source", "folder"), [(f"{HOST}:/fsx", "fsx"), (f"{HOST}:/fsx/", "fsx")])
def test_nfs(
    mount: Mount, machine: Path, commands: list[list[str]], source: str, folder: str
) -> None:
    assert mount("mount.nfs4", source, "/home", "-o", "rw")[0] == 0
    assert commands[0][3] == f"/srv/emulation/nfs/{HOST}/{folder}"
    found = json.loads((machine.parent / "mounts.json").read_text())["/home"]
    assert (found["fstype"], found["options"]) == ("nfs4", "rw")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("mount.lustre", "x"), 1, "usage: mount.lustre SOURCE TARGET"),
        (("mount.lustre", f"{HOST}:/abc", "/fsx"), 1, "is no source of type lustre"),
        (("mount.lustre", "silent@tcp:/abc", "/fsx"), 110, "failed: Connection timed out"),
        (
            ("mount.lustre", f"{HOST}@tcp:/missing", "/fsx"),
            2,
            "Is the MGS specification correct?",
        ),
    ],
)
def test_failures_have_the_codes_of_the_real_programs(
    mount: Mount, commands: list[list[str]], words: tuple[str, ...], code: int, message: str
) -> None:
    found = mount(*words)
    assert found[0] == code
    assert message in found[1]
    assert commands == []


def test_a_name_that_does_not_resolve(mount: Mount, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: Any) -> None:
        raise OSError

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    code, text = mount("mount.lustre", f"{HOST}@tcp:/abc", "/fsx")
    assert (code, f"{HOST} does not resolve" in text) == (1, True)


def test_a_failed_mount_is_not_recorded(
    mount: Mount, machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: SimpleNamespace(returncode=32))
    assert mount("mount.nfs", f"{HOST}:/fsx", "/home")[0] == 32
    assert not (machine.parent / "mounts.json").exists()


@pytest.mark.parametrize("source", [f"{HOST}:/", f"{HOST}://"])
def test_root_of_a_server_can_be_mounted(
    mount: Mount, commands: list[list[str]], source: str
) -> None:
    assert mount("mount.nfs4", source, "/home")[0] == 0
    assert commands[0][-2:] == [f"/srv/emulation/nfs/{HOST}/root", "/home"]


def test_slashes_at_the_end_have_no_meaning(mount: Mount, commands: list[list[str]]) -> None:
    assert mount("mount.lustre", f"{HOST}@tcp:/abc//", "/fsx")[0] == 0
    assert commands[0][-2] == f"/srv/emulation/lustre/{HOST}/abc"
    assert mount("mount.lustre", f"{HOST}@tcp:/", "/fsx")[0] == 1
