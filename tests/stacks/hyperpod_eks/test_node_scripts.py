"""The script of EKS nodes, run by bash with stub commands."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from clusterwright.platforms.derived_names import has_scripts
from clusterwright.platforms.kubernetes import kubelet_wait
from clusterwright.platforms.kubernetes.groups import held_taints
from clusterwright.platforms.loading import load_cluster
from stacks.hyperpod_eks.node_scripts import SCRIPT, node_scripts
from tests.support import specs
from tests.support.rich_specs import HYPERPOD_EKS, changed

SCRIPTED = """#!/bin/bash
echo "{name} $*" >>"{log}"
{body}
"""
DISK = "/dev/nvme{}n1 Amazon EC2 NVMe Instance Storage"
EBS = "/dev/nvme0n1 Amazon Elastic Block Store"


@dataclass
class Machine:
    """A folder with the machine's files, and commands that record their calls.

    `mounted` are mounted paths; `mount` adds to them.
    """

    root: Path
    disks: tuple[str, ...] = ()
    written: str = ""
    image_service: str = "inactive"
    mounted: tuple[str, ...] = ()
    failing: frozenset[str] = frozenset()
    killed_at: str = ""
    done_first: bool = False
    log: Path = field(init=False)

    def __post_init__(self) -> None:
        self.log = self.root / "asked"
        (self.root / "etc").mkdir(parents=True)
        (self.root / "etc" / "fstab").write_text("UUID=x / xfs defaults 0 0\n")
        self.log.touch()
        (self.root / "mounted").write_text("".join(f"{path}\n" for path in self.mounted))

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        scripts = self.root / "scripts"
        scripts.mkdir(exist_ok=True)
        for name, text in self.files().items():
            (scripts / name).write_text(text)
        commands = self.root / "bin"
        commands.mkdir(exist_ok=True)
        for name, body in self.commands().items():
            path = commands / name
            fails = "exit 1" if name in self.failing else body
            if name == self.killed_at:
                fails = f"{body}\nkill -9 $PPID" if self.done_first else "kill -9 $PPID"
            path.write_text(SCRIPTED.format(name=name, log=self.log, body=fails))
            path.chmod(0o755)
        return subprocess.run(
            ["bash", str(scripts / words[0]), *words[1:]],
            env={
                "PATH": f"{commands}:{os.environ['PATH']}",
                "CLUSTERWRIGHT_ROOT": str(self.root),
                "CLUSTERWRIGHT_WAIT_SECONDS": "0",
            },
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def files(self) -> dict[str, str]:
        path = self.root / "spec.yaml"
        spec = changed(HYPERPOD_EKS, compute__1__scratch={"mount_path": "/scratch"})
        return node_scripts(load_cluster(specs.write(path, spec)).cluster)

    def commands(self) -> dict[str, str]:
        disks = "\n".join([EBS, *self.disks])
        return {
            "systemctl": f'[ "$1" = is-active ] && echo "{self.image_service}"; true',
            "mountpoint": f'grep -qx "${{2#{self.root}}}" "{self.root}/mounted"',
            "lsblk": f"cat <<'END'\n{disks}\nEND",
            "wipefs": f"printf '%s' '{self.written}'",
            "mdadm": "true",
            "mkfs.xfs": "true",
            "udevadm": "true",
            "mount": f'echo "$1" >>"{self.root}/mounted"',
            "mkdir": '/bin/mkdir "$@"',
            "mv": '/bin/mv "$@"',
            "chmod": '/bin/chmod "$@"',
        }

    def asked(self, command: str) -> list[str]:
        lines = self.log.read_text().splitlines()
        return [line for line in lines if line.partition(" ")[0] == command]

    def fstab(self) -> list[str]:
        return (self.root / "etc" / "fstab").read_text().splitlines()[1:]


def disks(count: int) -> tuple[str, ...]:
    return tuple(DISK.format(number) for number in range(1, count + 1))


def test_group_with_scratch_has_its_own_entry(tmp_path: Path) -> None:
    files = Machine(tmp_path / "m").files()
    assert set(files) == {SCRIPT, "workers.sh"}
    assert "exec bash" in files["workers.sh"]


HELD = {"image": f"111122223333.dkr.ecr.us-east-1.amazonaws.com/a@sha256:{'0' * 64}", "hold": True}


def test_held_groups_delay_the_kubelet_before_anything_else(tmp_path: Path) -> None:
    spec = changed(HYPERPOD_EKS, acceptance=HELD)
    cluster = load_cluster(specs.write(tmp_path / "spec.yaml", spec)).cluster
    held = {group.name for group in cluster.compute if held_taints(cluster, group)}
    assert has_scripts(cluster)
    files = node_scripts(cluster)
    assert {f"{name}.sh" for name in held} | {SCRIPT, kubelet_wait.SCRIPT} == set(files)
    assert files[kubelet_wait.SCRIPT] == kubelet_wait.script()
    assert files["workers.sh"].splitlines()[-2:] == [
        'bash "$here/kubelet_wait.sh" || exit',
        'exec bash "$here/on_create.sh" --scratch /scratch',
    ]
    (other,) = held - {"workers"}
    assert files[f"{other}.sh"].splitlines()[-1] == 'exec bash "$here/kubelet_wait.sh"'


def test_several_disks_become_one_file_system(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "m", disks=disks(3))
    done = machine.run("workers.sh")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "clusterwright: ready"
    (made,) = machine.asked("mdadm")
    assert "--level=0" in made
    assert made.endswith("--raid-devices=3 /dev/nvme1n1 /dev/nvme2n1 /dev/nvme3n1")
    assert machine.asked("mkfs.xfs") == ["mkfs.xfs -L cw-scratch /dev/md/clusterwright-scratch"]
    assert machine.fstab() == ["LABEL=cw-scratch /scratch xfs noatime,nofail 0 0"]
    assert (tmp_path / "m" / "scratch").stat().st_mode & 0o7777 == 0o1777


def test_single_disk_needs_no_array(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "m", disks=disks(1))
    assert machine.run("workers.sh").returncode == 0
    assert machine.asked("mdadm") == []
    assert machine.asked("mkfs.xfs") == ["mkfs.xfs -L cw-scratch /dev/nvme1n1"]


def test_mount_of_the_image_is_bound_to_the_path(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "m", disks=disks(8), mounted=("/opt/dlami/nvme",))
    assert machine.run("workers.sh").returncode == 0
    assert machine.asked("mkfs.xfs") == machine.asked("mdadm") == []
    (line,) = machine.fstab()
    assert line.startswith("/opt/dlami/nvme /scratch none bind,")


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "m", disks=disks(2))
    assert machine.run("workers.sh").returncode == 0
    machine.log.write_text("")
    before = machine.fstab()
    done = machine.run("workers.sh")
    assert (done.returncode, machine.fstab()) == (0, before)
    assert machine.asked("mkfs.xfs") == machine.asked("mdadm") == machine.asked("mount") == []


_COMMANDS = ("mkdir", "mv", "mdadm", "mkfs.xfs", "udevadm", "mount", "chmod", "systemctl")


@pytest.mark.parametrize("done_first", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("killed_at", _COMMANDS)
def test_a_killed_run_is_completed(killed_at: str, done_first: bool, tmp_path: Path) -> None:
    """Killed at the first call of a command, before or after it took effect; then run again."""
    machine = Machine(tmp_path / "m", disks=disks(2))
    machine.killed_at, machine.done_first = killed_at, done_first
    assert machine.run("workers.sh").returncode != 0
    machine.killed_at = ""
    if machine.asked("mdadm") or machine.asked("mkfs.xfs"):
        machine.written = "linux_raid_member"
    done = machine.run("workers.sh")
    assert done.returncode == 0, done.stderr
    assert machine.fstab() == ["LABEL=cw-scratch /scratch xfs noatime,nofail 0 0"]
    assert "/scratch" in (machine.root / "mounted").read_text().splitlines()


@pytest.mark.parametrize("ended_at", ["mdadm", "mkfs.xfs", "udevadm"])
def test_a_run_that_was_ended_is_completed(ended_at: str, tmp_path: Path) -> None:
    """Its own array or file system is on the disks, which nothing has mounted."""
    machine = Machine(tmp_path / "m", disks=disks(2), failing=frozenset({ended_at}))
    assert machine.run("workers.sh").returncode == 1
    machine.log.write_text("")
    machine.failing, machine.written = frozenset(), "linux_raid_member"
    done = machine.run("workers.sh")
    assert done.returncode == 0, done.stderr
    assert machine.asked("wipefs") == ["wipefs --all --quiet /dev/nvme1n1 /dev/nvme2n1"]
    assert machine.fstab() == ["LABEL=cw-scratch /scratch xfs noatime,nofail 0 0"]


def test_a_run_that_was_ended_before_the_mount_erases_nothing(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "m", disks=disks(2), failing=frozenset({"mount"}))
    assert machine.run("workers.sh").returncode == 1
    machine.log.write_text("")
    machine.failing, machine.written = frozenset(), "linux_raid_member"
    assert machine.run("workers.sh").returncode == 0
    assert machine.asked("wipefs") == machine.asked("mkfs.xfs") == []
    assert machine.asked("mount") == ["mount /scratch"]
    assert len(machine.fstab()) == 1


def test_other_disks_than_those_of_the_ended_run_are_refused(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "m", disks=disks(1), failing=frozenset({"mkfs.xfs"}))
    assert machine.run("workers.sh").returncode == 1
    machine.failing, machine.written, machine.disks = frozenset(), "ext4", disks(2)
    done = machine.run("workers.sh")
    assert done.returncode == 1
    assert "did not write" in done.stderr


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "no instance-store disk"),
        ({"disks": disks(2), "written": "ext4"}, "did not write"),
        ({"disks": disks(1), "image_service": "activating"}, "still activating"),
        ({"disks": disks(2), "failing": frozenset({"mdadm"})}, "mdadm made no array"),
        ({"disks": disks(1), "failing": frozenset({"mkfs.xfs"})}, "took no file system"),
        ({"disks": disks(1), "failing": frozenset({"mount"})}, "cannot be mounted"),
        ({"disks": disks(1), "failing": frozenset({"wipefs"})}, "cannot be read"),
    ],
)
def test_failure_is_reported_and_changes_nothing(
    settings: dict[str, object], words: str, tmp_path: Path
) -> None:
    machine = Machine(tmp_path / "m", **settings)  # type: ignore[arg-type]
    done = machine.run("workers.sh")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("clusterwright: failed: ")
    assert words in last
    assert "What to do: " in last
    if "written" in settings:
        assert machine.asked("mkfs.xfs") == machine.asked("mdadm") == []


def test_entry_accepts_one_usage(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "m", disks=disks(1))
    machine.run("workers.sh")
    for words in ((), ("--scratch",), ("--scratch", "relative"), ("--other", "/x")):
        done = machine.run(SCRIPT, *words)
        assert done.returncode == 1
        assert "the only option is --scratch PATH" in done.stderr
