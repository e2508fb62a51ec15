"""Systemd units: names, states, and their installation."""

from __future__ import annotations

import pytest
from clusterwright_node import systemd
from clusterwright_node.errors import CommandError

from tests.nodes.stub_node import stub_node

UNIT = "health.timer"
SHOW = f"systemctl show {UNIT}"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/", "-"),
        ("/fsx", "fsx"),
        ("/opt/dlami/nvme", "opt-dlami-nvme"),
        ("/opt/dlami-x", "opt-dlami\\x2dx"),
        ("/.hidden", "\\x2ehidden"),
        ("/ü", "\\xc3\\xbc"),
    ],
)
def test_names_of_mount_units(path: str, name: str) -> None:
    assert systemd.escaped(path) == name


@pytest.mark.parametrize(
    ("shown", "active", "ready"),
    [
        ("ActiveState=active\nUnitFileState=enabled\nNeedDaemonReload=no\n", True, True),
        ("ActiveState=reloading\nUnitFileState=enabled\n", True, True),
        ("ActiveState=active\nUnitFileState=enabled\nNeedDaemonReload=yes\n", True, False),
        ("ActiveState=active\nUnitFileState=disabled\n", True, False),
        ("ActiveState=failed\nUnitFileState=enabled\n", False, False),
        ("", False, False),
    ],
)
def test_states(shown: str, active: bool, ready: bool) -> None:
    node = stub_node({SHOW: shown})
    assert systemd.is_active(node, UNIT) is active
    assert systemd.is_enabled_and_active(node, UNIT) is ready


@pytest.mark.parametrize(("state", "expected"), [("loaded", True), ("not-found", False)])
def test_existence(state: str, expected: bool) -> None:
    assert systemd.exists(stub_node({SHOW: f"LoadState={state}\n"}), UNIT) is expected


def test_an_unchanged_unit_is_not_written_again() -> None:
    node = stub_node({"systemctl": ""}, {systemd.unit_path(UNIT): "text"})
    systemd.install_unit(node, UNIT, "text")
    assert node.machine.modes == {}
    assert node.machine.ran == [
        f"systemctl enable {UNIT}",
        f"systemctl start {UNIT}",
    ]
    systemd.install_unit(node, UNIT, "new text")
    assert node.machine.files[systemd.unit_path(UNIT)] == "new text"


def test_a_failed_start_has_the_units_journal() -> None:
    node = stub_node({"systemctl": (1, "Job failed"), "journalctl": "no such device"})
    with pytest.raises(CommandError) as caught:
        systemd.start(node, UNIT)
    assert caught.value.cause == (
        f"`systemctl start {UNIT}` exited 1: Job failed; its journal: no such device"
    )


def test_only_a_unit_that_is_not_ready_is_started() -> None:
    ready = {SHOW: "ActiveState=active\nUnitFileState=enabled\n"}
    node = stub_node(ready)
    systemd.ensure(node, UNIT)
    assert len(node.machine.ran) == 1
    node = stub_node({SHOW: "ActiveState=inactive\n", "systemctl": ""})
    systemd.ensure(node, UNIT)
    assert node.machine.ran[1:] == [f"systemctl enable {UNIT}", f"systemctl start {UNIT}"]


def test_a_mount_unit_is_wanted_by_its_target() -> None:
    text = systemd.mount_unit(
        "data", "fs:/x", "/fsx", "lustre", "noatime", "After=lnet.service", "remote-fs.target"
    )
    assert "What=fs:/x\nWhere=/fsx\nType=lustre\nOptions=noatime\n" in text
    assert text.endswith("[Install]\nWantedBy=remote-fs.target\n")
    assert "RequiredBy" not in text
