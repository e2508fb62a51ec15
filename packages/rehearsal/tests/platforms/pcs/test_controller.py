"""The hidden controller: daemons, changed files, suspension, requests of power saving."""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.platforms.pcs import slurm_files
from clusterwright_rehearsal.platforms.pcs.controller import Controller, down
from clusterwright_rehearsal.platforms.pcs.settings import Settings
from packages.rehearsal.tests.platforms.fake_machine import FakeMachine
from packages.rehearsal.tests.platforms.pcs.orders import group, order


class Booting(FakeMachine):
    """A machine that is up from its boot to its stop."""

    def boot(self) -> None:
        super().boot()
        self.up = True

    def stop(self) -> None:
        super().stop()
        self.up = False


@pytest.fixture
def machine() -> Booting:
    return Booting("pcs-train", up=False)


@pytest.fixture
def controller(machine: Booting) -> Controller:
    secrets = Mock()
    key = base64.b64encode(b"key").decode()
    secrets.get_secret_value.return_value = {"SecretString": key}
    settings = Settings(images={"26.05": Path("/images/newer")})
    vpc = Mock(machine=lambda *_: machine)
    return Controller(order(), Mock(client=lambda _: secrets), vpc, settings)


def ran(machine: FakeMachine, words: str) -> int:
    return sum(words in command for command in machine.commands)


def test_daemons_start_with_the_clusters_key(controller: Controller, machine: Booting) -> None:
    controller.apply(order())
    assert machine.events == ["boot"]
    assert machine.files[slurm_files.KEY] == b"key"
    assert machine.modes[slurm_files.KEY] == 0o600
    assert ran(machine, "enable -q --now slurmctld") == 1
    assert ran(machine, "enable -q --now slurmdbd") == 1


def test_without_accounting_there_is_no_database(controller: Controller, machine: Booting) -> None:
    controller.apply(order(accounting="NONE"))
    assert ran(machine, "slurmdbd && ") == 0
    assert ran(machine, "mariadb") == 0


def test_changed_files_are_read_again_and_unchanged_ones_not(
    controller: Controller, machine: Booting
) -> None:
    controller.apply(order())
    controller.apply(order())
    assert ran(machine, "scontrol reconfigure") == 0
    controller.apply(dataclasses.replace(order(), groups=(group(most=9),)))
    assert ran(machine, "scontrol reconfigure") == 1
    assert "workers-[1-9]" in str(machine.files[f"{slurm_files.FOLDER}/slurm.conf"])


def test_suspended_controller_is_stopped_and_starts_again(
    controller: Controller, machine: Booting
) -> None:
    controller.apply(order())
    controller.suspend()
    assert machine.events == ["boot", "stop"]
    controller.apply(order())
    assert machine.events == ["boot", "stop", "boot"]
    assert ran(machine, "enable -q --now slurmctld") == 2


def test_newer_slurm_boots_from_its_image_with_state_and_database(
    controller: Controller, machine: Booting
) -> None:
    controller.apply(order())
    controller.suspend()
    members = {**order().members, "scheduler": {"type": "SLURM", "version": "26.05"}}
    newer = dataclasses.replace(order(), members=members)
    controller.apply(newer)
    assert machine.events == ["boot", "stop", "stop", "reinstall", "boot"]
    assert machine.image == Path("/images/newer")
    assert machine.kept == ["/var/spool/slurm.state", "/var/lib/mysql"]
    conf = str(machine.files["/etc/mysql/mariadb.conf.d/90-pcs.cnf"])
    assert "datadir=/var/lib/mysql\n" in conf
    assert ran(machine, "chown -R mysql:mysql /var/lib/mysql") == 1
    assert ran(machine, "enable -q --now slurmctld") == 2
    controller.apply(newer)
    assert machine.events.count("reinstall") == 1


def test_requests_are_taken_once(controller: Controller, machine: Booting) -> None:
    machine.up = True
    path = f"{slurm_files.REQUESTS}/resume"
    machine.answers[f"for file in {path}."] = (0, "workers-2\nworkers-3\n")
    assert controller.take("resume") == ["workers-2", "workers-3"]
    assert controller.take("suspend") == []


def test_states_of_nodes(controller: Controller, machine: Booting) -> None:
    machine.up = True
    machine.answers["sinfo"] = (0, "workers-1 IDLE\nworkers-2 down*\nworkers-3 DOWN~\n")
    states = controller.states()
    assert down(states, ["workers-1", "workers-2", "workers-3", "login-1"]) == {
        "workers-2",
        "workers-3",
    }


def test_start_of_a_slurmd(controller: Controller, machine: Booting) -> None:
    machine.up = True
    shown = "NodeName=workers-1 BootTime=None SlurmdStartTime={} LastBusyTime=Unknown"
    for value, found in (("None", ""), ("2026-11-27T10:00:00", "2026-11-27T10:00:00")):
        machine.answers["scontrol"] = (0, shown.format(value))
        assert controller.slurmd_started("workers-1") == found


def test_failure_is_told(controller: Controller, machine: Booting) -> None:
    machine.answers["systemctl enable -q --now mariadb"] = (1, "no space")
    with pytest.raises(RehearsalError, match=r"pcs-train: .*no space"):
        controller.apply(order())


def test_failing_database_is_told(controller: Controller, machine: Booting) -> None:
    def run(command: str | Sequence[str], **_: Any) -> Any:
        return original("mariadb-fails" if command == ["/usr/bin/mariadb"] else command)

    original = machine.run
    machine.answers["mariadb-fails"] = (1, "access denied")
    machine.run = run  # type: ignore[method-assign, assignment]
    with pytest.raises(RehearsalError, match="MariaDB: access denied"):
        controller.apply(order())
