"""The script that delays the kubelet after a reboot, run by sh with stub commands."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from clusterwright_acceptance import kubernetes_hold

from clusterwright.platforms.kubernetes import kubelet_wait
from tests.platforms.kubernetes.conftest import Load
from tests.platforms.kubernetes.specs import EKS, HELD
from tests.support.rich_specs import changed

UNIT = "clusterwright-kubelet-wait.service"
PROGRAM = "usr/local/lib/clusterwright/kubelet_wait.sh"
STUB = """#!/bin/sh
echo "{name} $*" >>"{root}/asked"
{body}
"""
ROOT = Path(__file__).resolve().parents[3]


@dataclass
class Machine:
    """A folder with the machine's files; `boot` starts it again."""

    root: Path
    killed_at: str = ""

    def __post_init__(self) -> None:
        (self.root / "proc/sys/kernel/random").mkdir(parents=True)
        self.boot("first", 20.0)
        given = self.root / "part-001"
        given.write_text(kubelet_wait.script(), encoding="ascii")

    def boot(self, boot_id: str, up_seconds: float) -> None:
        (self.root / "proc/sys/kernel/random/boot_id").write_text(f"{boot_id}\n")
        (self.root / "proc/uptime").write_text(f"{up_seconds:.2f} 155.24\n")
        (self.root / "asked").write_text("")

    def install(self) -> subprocess.CompletedProcess[str]:
        return self._run(self.root / "part-001")

    def waited(self) -> list[str]:
        """What the unit runs; the calls of sleep."""
        done = self._run(self.root / PROGRAM, "wait")
        assert done.returncode == 0, done.stderr
        return [line for line in self.asked() if line.startswith("sleep")]

    def asked(self) -> list[str]:
        return (self.root / "asked").read_text().splitlines()

    def unit(self) -> str:
        return (self.root / "etc/systemd/system" / UNIT).read_text()

    def _run(self, script: Path, *words: str) -> subprocess.CompletedProcess[str]:
        commands = self.root / "bin"
        commands.mkdir(exist_ok=True)
        real = {name: f'exec {shutil.which(name)} "$@"' for name in ("mkdir", "mv", "cat")}
        for name, body in {**real, "systemctl": "", "sleep": ""}.items():
            path = commands / name
            does = "kill -9 $PPID" if name == self.killed_at else body
            path.write_text(STUB.format(name=name, root=self.root, body=does))
            path.chmod(0o755)
        return subprocess.run(
            ["sh", str(script), *words],
            env={
                "PATH": f"{commands}:{os.environ['PATH']}",
                "CLUSTERWRIGHT_ROOT": str(self.root),
            },
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "machine")


def test_the_first_boot_installs_the_unit_and_does_not_wait(machine: Machine) -> None:
    done = machine.install()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "clusterwright: from the next boot on the kubelet starts 100 s after the kernel\n"
    )
    assert f"systemctl enable {UNIT}" in machine.asked()
    assert machine.unit() == (
        "[Unit]\n"
        "Description=Wait until the control plane has seen that this node rebooted\n"
        "Before=kubelet.service\n\n"
        "[Service]\n"
        "Type=oneshot\n"
        "RemainAfterExit=yes\n"
        f"ExecStart=/bin/sh /{PROGRAM} wait\n\n"
        "[Install]\n"
        "WantedBy=kubelet.service\n"
    )
    assert machine.waited() == []


@pytest.mark.parametrize(
    ("up_seconds", "slept"),
    [(0.98, ["sleep 100"]), (40.7, ["sleep 60"]), (99.99, ["sleep 1"]), (100.0, []), (9e6, [])],
)
def test_a_later_boot_waits_for_the_rest(
    up_seconds: float, slept: list[str], machine: Machine
) -> None:
    machine.install()
    machine.boot("second", up_seconds)
    assert machine.waited() == slept


def test_a_node_without_a_recorded_boot_waits(machine: Machine) -> None:
    """The run that installs was ended: nothing says that this is the first boot."""
    machine.install()
    (machine.root / "var/lib/clusterwright/first-boot").write_text("")
    assert machine.waited() == ["sleep 80"]


def test_a_run_in_a_later_boot_changes_nothing(machine: Machine) -> None:
    machine.install()
    before = machine.unit()
    machine.boot("second", 30)
    assert machine.install().returncode == 0
    assert machine.unit() == before
    assert machine.waited() == ["sleep 70"]


@pytest.mark.parametrize("killed_at", ["mkdir", "cat", "mv", "systemctl"])
def test_a_killed_run_is_completed(killed_at: str, machine: Machine) -> None:
    machine.killed_at = killed_at
    assert machine.install().returncode != 0
    machine.killed_at = ""
    assert machine.install().returncode == 0
    assert f"systemctl enable {UNIT}" in machine.asked()
    assert machine.waited() == []


def test_other_arguments_are_refused(machine: Machine) -> None:
    machine.install()
    done = machine._run(machine.root / PROGRAM, "wait", "60")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "clusterwright: called with: wait 60: the only argument is wait\n"


def test_the_control_plane_and_the_watch_are_done_by_then(machine: Machine) -> None:
    machine.install()
    machine.boot("second", 0)
    (slept,) = machine.waited()
    seconds = int(slept.split()[1])
    # The longer default of the grace period, and two looks of the control plane.
    assert seconds > 50 + 2 * 5 + kubernetes_hold.SILENT_SECONDS
    # Kubernetes evicts pods of a node that is not ready for this time (tolerationSeconds).
    assert seconds < 300
    for page in ("docs/designs/operating.md", "docs/how-to/accept-a-cluster.md"):
        assert f"{seconds} seconds" in (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="it is not installed")
def test_systemd_takes_the_unit(machine: Machine) -> None:
    machine.install()
    path = machine.root / "etc/systemd/system" / UNIT
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    # systemd tells what it ignores, and an order that is a cycle, without an error.
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_only_held_groups_wait(load: Load) -> None:
    held = load(changed(EKS, acceptance=HELD))
    waiting = {g.name for g in held.compute if kubelet_wait.delays_kubelet(held, g)}
    assert waiting == {g.name for g in held.compute if g.role == "compute"}
    free = load(EKS)
    assert not any(kubelet_wait.delays_kubelet(free, group) for group in free.compute)
