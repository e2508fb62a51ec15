"""Debian packages for emulated nodes: installed for root where missing; failures are warnings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clusterwright_rehearsal.prerequisites import PROGRAMS
from tools.setup import machines
from tools.setup.errors import SetupError
from tools.setup.recipe import STEPS


class Machine:
    """A fake machine with some programs; records the commands that are run."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self.programs = {"apt-get", *machines.PROGRAMS}
        self.keyring = folder / "keyring.gpg"
        self.keyring.write_text("")
        self.user = 0
        self.commands: list[list[str]] = []
        self.failing = False
        monkeypatch.setattr(machines, "KEYRING", self.keyring)
        monkeypatch.setattr(machines.shutil, "which", self._which)
        monkeypatch.setattr(machines.os, "geteuid", lambda: self.user)
        monkeypatch.setattr(machines.sys, "platform", "linux")
        monkeypatch.setattr(machines, "run", self._run)

    def _which(self, name: str) -> str | None:
        return f"/usr/bin/{name}" if name in self.programs else None

    def _run(self, words: list[str], **_: Any) -> str:
        self.commands.append(words)
        if self.failing:
            raise SetupError("reading Debian's package lists: no network", "connect")
        return ""


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Machine:
    return Machine(monkeypatch, tmp_path)


def test_nothing_is_installed_where_nothing_is_missing(machine: Machine) -> None:
    machines.install()
    assert machine.commands == []


def test_only_what_is_missing_is_installed(machine: Machine) -> None:
    machine.programs -= {"mmdebstrap", "systemd-nspawn"}
    machine.keyring.unlink()
    machines.install()
    update, install = machine.commands
    assert update[:2] == ["apt-get", "update"]
    assert install[-3:] == ["debian-archive-keyring", "mmdebstrap", "systemd-container"]
    assert "--no-install-recommends" in install


@pytest.mark.parametrize("why", ["not root", "no apt"])
def test_other_users_and_systems_are_not_prompted(machine: Machine, why: str) -> None:
    machine.programs -= {"mmdebstrap"}
    if why == "not root":
        machine.user = 1000
    else:
        machine.programs -= {"apt-get"}
    machines.install()
    assert machine.commands == []
    assert machines.outputs() == []


def test_failure_is_a_warning_and_tried_again(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.programs -= {"mmdebstrap"}
    machine.failing = True
    machines.install()
    said = capsys.readouterr().err
    assert "warning: reading Debian's package lists: no network" in said
    assert "apt-get install mmdebstrap" in said
    # The step is not done as long as an output is missing.
    assert Path("/usr/bin/mmdebstrap") in machines.outputs()


def test_becoming_root_makes_the_step_outdated(machine: Machine) -> None:
    machine.user = 1000
    before = machines.inputs()
    machine.user = 0
    assert machines.inputs() != before


def test_step_is_the_last_and_covers_what_the_rehearsal_needs() -> None:
    assert STEPS[-1].run is machines.install
    assert set(PROGRAMS) <= set(machines.PROGRAMS)
