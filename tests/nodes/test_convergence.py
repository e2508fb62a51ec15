"""A run that is killed at any point converges when it is run again, and one more does nothing.

Each change of the machine has a point before it, one after it and, where it can be seen half done,
one within. What SIGKILL leaves there is a copy of the machine at that moment: most tests use
copies, others kill the process.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.nodes.interruptions import (
    copied,
    fewer_program_files,
    interrupted,
    kinds,
    worth_a_kill,
)
from tests.nodes.world import MEMORY, World, make_world, mirror_containers

NODES = {
    # A managed login node does a part of what a managed controller does.
    "managed": ("workers-1", "controller-1"),
    "scripted": ("workers-1", "controller-1", "login-1"),
    "parallelcluster": ("workers-1", "controller-1"),
    "pcs": ("workers-1", "login-1"),
}
CASES = [(node, configuration) for configuration, nodes in NODES.items() for node in nodes]


def first_boot(node: str, configuration: str, folder: Path) -> World:
    """A node before its first run, in a state in which every applicable step has to change
    something.
    """
    fresh = make_world(folder, node, configuration)
    fresh.edit("cluster.json", lambda c: c["users"][0].update(sudo=True))
    fresh.edit("cluster.json", lambda c: c["slurm"].update(restrict_ssh_to_jobs=True))
    fresh.edit("cluster.json", lambda c: c["lustre"][0].update(preload=["/fsx/corpus"]))
    mirror_containers(fresh)
    return fresh


def after_an_update(node: str, configuration: str, folder: Path) -> World:
    """A configured node whose files then change in every way that a deployment can."""
    ready = first_boot(node, configuration, folder)
    assert ready.run().code == 0

    def spec(cluster: Any) -> None:
        ada = cluster["users"][0]
        ada.update(sudo=False, ssh_public_keys=["ssh-ed25519 BBBB new"], groups=[])
        cluster["users"].append(dict(ada, name="bob", uid=5002, gid=5002, sudo=True))
        cluster["mountpoints"][0]["prefix"] = "other/"
        cluster["checkpoint_path"] = "/fsx/other"

    ready.edit("cluster.json", spec)
    if node.startswith("workers"):
        # A device before the others, so that others are selected.
        vendor = ready.root / "sys/class/infiniband/rdmap75s0/device/vendor"
        vendor.parent.mkdir(parents=True)
        vendor.write_text("0x1d0f\n")
    if configuration == "scripted":
        # A change that requires a restart of slurmctld, and one of every file.
        ready.edit("cluster.json", lambda c: c["slurm"].update(topology="none"))
        ready.edit("cluster.json", lambda c: c["groups"][2].update(spare_count=1))
        # A node is replaced: the partition has another node.
        for name in ("opt/ml/config/resource_config.json", "opt/slurm/etc/slurm.conf"):
            path = ready.root / name
            if path.exists():
                text = path.read_text().replace("10.1.0.33", "10.1.0.34")
                path.write_text(text.replace("ip-10-1-0-33", "ip-10-1-0-34"))
    plugstack = ready.root / "opt/slurm/etc/plugstack.conf"
    if plugstack.exists() and configuration != "scripted":
        # Not in both: reading one file again reads the others too, and would hide a missing one.
        plugstack.write_text("optional other.so\n")
    return ready


@pytest.fixture
def few_program_files(tmp_path: Path) -> Iterator[None]:
    with fewer_program_files(tmp_path / "programs"):
        yield


@pytest.mark.usefixtures("few_program_files")
@pytest.mark.parametrize("made", [first_boot, after_an_update])
@pytest.mark.parametrize("configuration", NODES)
def test_run_after_any_interruption_converges(
    memory_path: Path, configuration: str, made: Callable[..., World]
) -> None:
    tried = tried_elsewhere(memory_path, configuration, made)
    before = len(tried)
    for node in NODES[configuration]:
        start = made(node, configuration, memory_path / f"{node}-start")
        reference = copied(start, f"{node}-reference")
        first = reference.run()
        assert first.code == 0, first.text
        goal = reference.picture()
        points = first.machine.points
        assert len(points) > 40
        for point, victim in interrupted(start, points, list(worth_a_kill(points, tried))):
            label = f"{node} at {point}: {points[point]}"
            again = victim.run()
            assert again.code == 0, f"killed {label}\n{again.text}"
            assert victim.picture() == goal, f"killed {label}"
            if point % 8 == 0:
                third = victim.run()
                assert set(third.statuses().values()) <= {"unchanged", "skipped"}, label
                assert third.machine.points == [], label
            shutil.rmtree(victim.folder)
    # Copies keep their owners, so an update of ParallelCluster has only these points of its own:
    # a directory, its owner, the journal (twice) and a file that managed nodes do not have.
    assert len(tried) - before >= (5 if before else 51)


def tried_elsewhere(
    memory_path: Path, configuration: str, made: Callable[..., World]
) -> set[tuple[str, str]]:
    """Points of ParallelCluster and PCS that other nodes have too, and that are tested there."""
    tried: set[tuple[str, str]] = set()
    others = {"parallelcluster": ("managed",), "pcs": ("managed", "scripted")}
    for other in others.get(configuration, ()):
        for node in NODES[other]:
            points = made(node, other, memory_path / f"{node}-{other}").run().machine.points
            list(worth_a_kill(points, tried))
    return tried


@pytest.mark.parametrize("made", [first_boot, after_an_update])
@pytest.mark.parametrize(("node", "configuration"), CASES)
def test_points_with_few_program_files_are_those_with_all(
    memory_path: Path,
    tmp_path: Path,
    node: str,
    configuration: str,
    made: Callable[..., World],
) -> None:
    every = made(node, configuration, memory_path / "all").run().machine.points
    with fewer_program_files(tmp_path):
        shutil.rmtree(memory_path / "all")
        some = made(node, configuration, memory_path / "all").run().machine.points
    assert kinds(some) == kinds(every)
    if made is first_boot:  # an update writes no file of ours that it has already
        assert len(some) < len(every)


@pytest.mark.usefixtures("few_program_files")
@settings(max_examples=25)
@given(
    case=st.sampled_from(CASES),
    kills=st.lists(st.integers(0, 60), min_size=2, max_size=6),
)
def test_run_after_repeated_interruptions_converges(
    case: tuple[str, str], kills: list[int]
) -> None:
    node, configuration = case
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        reference = first_boot(node, configuration, Path(folder) / "reference")
        assert reference.run().code == 0
        victim = first_boot(node, configuration, Path(folder) / "victim")
        for kill in kills:
            victim.run_and_be_killed(kill)
        last = victim.run()
        assert last.code == 0, last.text
        assert victim.picture() == reference.picture()


def test_a_copy_at_a_point_is_what_a_kill_there_leaves(memory_path: Path) -> None:
    start = first_boot("workers-1", "managed", memory_path / "start")
    points = copied(start, "reference").run().machine.points
    chosen = list(range(0, len(points), 25))
    for point, copy in interrupted(start, points, chosen):
        killed = copied(start, f"killed-{point}")
        assert killed.run_and_be_killed(point)
        assert copy.picture() == killed.picture(), points[point]


def test_interrupted_run_is_named_by_the_next(world: Callable[..., World]) -> None:
    node = world("workers-1")
    points = copied(node, "reference").run().machine.points
    at = next(i for i, label in enumerate(points) if "mdadm --create" in label)
    assert node.run_and_be_killed(at)
    assert node.journal()["step"] == "scratch"
    again = node.run()
    assert any("inside the step scratch" in text for text in again.notices())
    assert node.journal()["step"] is None
    assert node.journal()["begun"] == {}


def test_every_kind_of_interruption_point_is_tested(world: Callable[..., World]) -> None:
    """The list of points is not empty for the relevant kinds."""
    labels = "\n".join(world("workers-1", "scripted").run().machine.points)
    for part in ("within write", "within mkfs.xfs", "within mdadm --create", "after run useradd"):
        assert part in labels
    assert "before mkdir /home/ada" in labels
    assert "after run systemctl start fsx.mount" in labels
