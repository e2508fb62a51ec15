"""Steps that wait declare for what, and no node waits for one that waits for it.

Steps run one after another on each node, so a step waits for all earlier ones of its node. With
what the steps themselves wait for on other nodes this makes a graph over (role, step).
"""

from __future__ import annotations

import ast
import graphlib
import itertools
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest
from clusterwright_node import steps as steps_package
from clusterwright_node.catalogue import Step, load_steps

ROLES = ("controller", "login", "compute")
OUTSIDE = frozenset(
    {
        "AWS: time",
        "AWS: name resolution",
        "AWS: file system",
        "AWS: database",
        "AWS: DescribeInstances",
        "the platform: mounts",
        "the platform: Slurm",
        "the image: mount of local disks",
    }
)
"""What exists without any node of the cluster having run a step: deployed before the nodes, or
done by the platform or the image before the node program or beside it."""

CONTROLLER, SAME = "controller", "same node"
WAITS: Mapping[str, tuple[str | tuple[str, str], ...]] = {
    "clock": ("AWS: time",),
    "network": ("AWS: name resolution",),
    "lustre": ("AWS: file system", "the platform: mounts"),
    "home": ("AWS: file system", "the platform: mounts"),
    "scratch": ("the image: mount of local disks", "the platform: mounts"),
    "slurm_database": ((SAME, "slurm_database"),),
    "slurmdbd": ((SAME, "slurm_database"), "AWS: database"),
    # It copies HyperPod's slurm.conf, and goes on without it after 120 s.
    "slurm_files": ("the platform: Slurm",),
    "slurm_qos": ((SAME, "slurmdbd"), "the platform: Slurm"),
    "slurm_daemons": ((CONTROLLER, "slurm_daemons"),),
    "slurm_accounts": ((SAME, "slurmdbd"), (SAME, "slurm_daemons"), "the platform: Slurm"),
    "topology": ("the platform: Slurm", "AWS: DescribeInstances"),
}
"""What each step waits for: something of `OUTSIDE`, or a step of the same node or the controller.
A step that waits for itself starts a daemon and waits until it answers."""

FOLDER = Path(steps_package.__path__[0])


def _calls(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.func.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }


def test_each_step_that_waits_says_for_what() -> None:
    found = {path.stem for path in FOLDER.glob("*.py") if _calls(path) & {"wait_until", "sleep"}}
    assert found == set(WAITS)
    for name, awaited in WAITS.items():
        assert awaited, name
        for one in awaited:
            if isinstance(one, str):
                assert one in OUTSIDE, name
            else:
                assert one[0] in (SAME, CONTROLLER), name
                assert one[1] in {step.name for step in load_steps()}, name


def test_only_declared_steps_connect_to_other_nodes() -> None:
    """`can_connect` is how a step sees that another daemon listens."""
    found = {path.stem for path in FOLDER.glob("*.py") if "can_connect" in _calls(path)}
    assert found == {"slurmdbd", "slurm_daemons"}
    assert found <= set(WAITS)


def test_each_wait_ends() -> None:
    """`wait_until` ends at the step's deadline; a loop with `sleep` has an end of its own."""
    for step in load_steps():
        if step.name in WAITS:
            assert 0 < step.deadline_seconds <= 900, step.name
    for path in FOLDER.glob("*.py"):
        if "sleep" in _calls(path):
            text = path.read_text(encoding="utf-8")
            assert "monotonic() >= ends" in text, path.name


def order(
    steps: Iterable[Step], waits: Mapping[str, tuple[str | tuple[str, str], ...]]
) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """((role, step), (role, step)) for each pair of which the first must be done before."""
    names = [step.name for step in steps]
    for role in ROLES:
        for before, name in itertools.pairwise(names):
            yield (role, before), (role, name)
        for name, awaited in waits.items():
            for one in awaited:
                if isinstance(one, str):
                    continue
                where = role if one[0] == SAME else one[0]
                if (where, one[1]) != (role, name):
                    yield (where, one[1]), (role, name)


def cycle(
    steps: Iterable[Step], waits: Mapping[str, tuple[str | tuple[str, str], ...]]
) -> list[tuple[str, str]] | None:
    sorter: graphlib.TopologicalSorter[tuple[str, str]] = graphlib.TopologicalSorter()
    for before, after in order(steps, waits):
        sorter.add(after, before)
    try:
        sorter.prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return None


def test_no_node_waits_for_one_that_waits_for_it() -> None:
    """Every step of every role counts as done on every platform, which only adds waits."""
    assert cycle(load_steps(), WAITS) is None


@pytest.mark.parametrize(
    ("name", "awaited"),
    [
        # The controller waits for compute nodes, which wait for slurmctld.
        ("slurm_files", ("compute", "slurm_daemons")),
        # Home directories exported by a login node, which makes its users afterwards.
        ("home", ("login", "users")),
        # The database is reachable only after the daemon that needs it.
        ("slurmdbd", (SAME, "slurm_daemons")),
        # The key of munge comes from a controller that has Slurm running.
        ("munge_key", (CONTROLLER, "slurm_accounts")),
        # Names of file systems are awaited after the mounts that need them.
        ("network", (SAME, "lustre")),
    ],
)
def test_circular_waits_are_found(name: str, awaited: tuple[str, str]) -> None:
    found = cycle(load_steps(), {**WAITS, name: (*WAITS.get(name, ()), awaited)})
    assert found is not None
    assert {step for _, step in found} >= {name, awaited[1]}


def test_what_slurm_needs_comes_before_it() -> None:
    names = [step.name for step in load_steps()]
    for first, second in (
        ("network", "lustre"),
        ("network", "home"),
        ("lnet_efa", "lustre"),
        ("munge_key", "slurmdbd"),
        ("slurm_database", "slurmdbd"),
        ("slurmdbd", "slurm_daemons"),
        ("slurm_qos", "slurm_daemons"),
        ("munge_key", "slurm_daemons"),
        ("home", "user_homes"),
        ("users", "slurm_accounts"),
        ("health", "slurm_daemons"),
    ):
        assert names.index(first) < names.index(second), (first, second)


def test_nodes_wait_for_slurmctld_longer_than_for_anything_else() -> None:
    """Before slurmctld starts, the controller may wait in any of its own steps up to its limit."""
    limits = {step.name: step.deadline_seconds for step in load_steps()}
    assert limits["slurm_daemons"] == max(limits.values())
