"""Images, inputs of the node program, and slurm.conf."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cluster_state.not_read import NotRead
from clusterwright.cluster_state.published import (
    InstalledProgram,
    ProgramChange,
    ReportedProgram,
    RunningConfiguration,
    SchedulerView,
)
from clusterwright.cluster_state.results import ClusterState, PlatformGroup
from clusterwright.operate.results import Difference, NotCompared
from clusterwright.operate.running_configuration import (
    NO_ADDRESS,
    image_differences,
    inputs_sha256,
    installed_differences,
    node_program_differences,
    same_setting,
    slurm_differences,
)
from tests.operate.clusters import cluster_state, load, published

UPLOADED = {"cluster.json": "{}", "deployment.json": "{}", "provisioning_parameters.json": None}


def state(folder: Path, configuration: Any, **spec: Any) -> tuple[Any, ClusterState]:
    loaded = load(folder, **spec)
    view = SchedulerView(published(configuration=configuration), None)
    return loaded.cluster, cluster_state(loaded, scheduler=view)


def test_digest_is_that_of_the_node_program() -> None:
    text = b"cluster.json 2\n{}deployment.json 2\n{}"
    assert inputs_sha256(UPLOADED) == hashlib.sha256(text).hexdigest()


def test_node_program(tmp_path: Path) -> None:
    same = RunningConfiguration(inputs_sha256=inputs_sha256(UPLOADED))
    cluster, found = state(tmp_path, same)
    assert list(node_program_differences(cluster, found, lambda: UPLOADED)) == []
    other = {**UPLOADED, "cluster.json": "{ }"}
    (difference,) = node_program_differences(cluster, found, lambda: other)
    assert isinstance(difference, Difference)
    assert (difference.kind, difference.resource) == ("node-program", "ip-controller-1")
    for reason, is_unread in (("denied", True), (NO_ADDRESS, False)):
        refused = NotRead("x", reason)
        (entry,) = node_program_differences(cluster, found, lambda read=refused: read)
        assert isinstance(entry, NotCompared)
        assert entry.is_unread is is_unread
    cluster, found = state(tmp_path, None)
    (entry,) = node_program_differences(cluster, found, lambda: UPLOADED)
    assert isinstance(entry, NotCompared)
    assert entry.is_unread


def test_what_is_not_published_is_unread(tmp_path: Path) -> None:
    cluster, found = state(tmp_path, None, slurm={"configuration": "scripted"})
    silent = replace(found, scheduler=SchedulerView(None, NotRead("x", "not published")))
    entries = [
        *slurm_differences(cluster, found, load_catalog()),
        *slurm_differences(cluster, silent, load_catalog()),
        *node_program_differences(cluster, silent, lambda: UPLOADED),
    ]
    assert [(entry.reason, entry.is_unread) for entry in entries] == [
        ("the controller could not read it", True),
        ("not published", True),
        ("not published", True),
    ]


VERSION = "5" * 64
FILES = {**UPLOADED, "program.sha256": f"{VERSION}\n"}
CHANGE = ProgramChange(path="/opt/clusterwright/lib/a.py", sha256="1", recorded_sha256="2")


def installed(
    folder: Path,
    program: InstalledProgram | None,
    uploaded: Any = FILES,
    tested: ReportedProgram | None = None,
    **spec: Any,
) -> tuple[list[tuple[Any, ...]], list[NotCompared]]:
    """Differences and what was not compared; every compute node has `tested`."""
    loaded = load(folder, **spec)
    state = published(configuration=RunningConfiguration(program=program))
    accepted = {
        name: one.model_copy(update={"program": tested})
        for name, one in (state.acceptance or {}).items()
    }
    view = SchedulerView(state.model_copy(update={"acceptance": accepted}), None)
    found = cluster_state(loaded, scheduler=view)
    entries = list(installed_differences(loaded.cluster, found, lambda: uploaded))
    differences = [one for one in entries if isinstance(one, Difference)]
    assert {one.kind for one in differences} <= {"node-program"}
    rows = [(one.resource, one.path, one.deployed, one.file) for one in differences]
    return rows, [one for one in entries if isinstance(one, NotCompared)]


def test_installed_files_as_deployed(tmp_path: Path) -> None:
    same = InstalledProgram(versions={VERSION: ("clusterwright_state", "scripts")})
    assert installed(tmp_path, same, tested=ReportedProgram(sha256=VERSION)) == ([], [])
    rows, (entry,) = installed(tmp_path, same)
    assert rows == []
    assert not entry.is_unread
    assert entry.what.endswith("on ip-workers-1, ip-workers-2, ip-workers-3, ip-workers-4")


def test_changed_installed_files_are_named(tmp_path: Path) -> None:
    own = InstalledProgram(versions={VERSION: ("a",)}, changes=(CHANGE,), changes_count=21)
    tested = ReportedProgram(sha256=VERSION, changes=(CHANGE,), changes_count=1)
    rows, entries = installed(tmp_path, own, tested=tested)
    assert entries == []
    assert rows == [
        ("ip-controller-1", "/opt/clusterwright/lib/a.py", "1", "2"),
        ("ip-controller-1", "20 more files", "changed", "as installed"),
        *((f"ip-workers-{n}", "/opt/clusterwright/lib/a.py", "1", "2") for n in range(1, 5)),
    ]
    # Without the address of the deployed files what was changed on the nodes is named too.
    for reason, is_unread in (("denied", True), (NO_ADDRESS, False)):
        again, (entry,) = installed(tmp_path, own, NotRead("x", reason), tested)
        assert again == rows
        assert entry.is_unread is is_unread


def test_another_version_than_the_deployed_one(tmp_path: Path) -> None:
    older = "4" * 64
    rows, _ = installed(
        tmp_path, InstalledProgram(versions={older: ("a",)}), tested=ReportedProgram(sha256=older)
    )
    assert rows[0] == ("ip-controller-1", "program_sha256", older, VERSION)
    assert [row[0] for row in rows[1:]] == [f"ip-workers-{n}" for n in range(1, 5)]
    mixed = InstalledProgram(versions={older: ("a", "b"), VERSION: ("c",)})
    rows, _ = installed(tmp_path, mixed, tested=ReportedProgram())
    assert rows[:2] == [
        ("ip-controller-1", "program_sha256: a, b", older, VERSION),
        ("ip-workers-1", "program_sha256", "several versions", VERSION),
    ]
    rows, (entry,) = installed(tmp_path, mixed, UPLOADED, ReportedProgram(sha256=VERSION))
    assert rows == []
    assert entry.is_unread
    assert "program.sha256" in entry.reason


def test_installed_files_that_nobody_publishes(tmp_path: Path) -> None:
    rows, entries = installed(tmp_path, None, tested=ReportedProgram(sha256=VERSION))
    assert rows == []
    assert [entry.is_unread for entry in entries] == [True]
    cluster, found = state(tmp_path, None)
    silent = replace(found, scheduler=SchedulerView(None, NotRead("x", "not published")))
    (entry,) = installed_differences(cluster, silent, lambda: FILES)
    assert isinstance(entry, NotCompared)
    assert (entry.reason, entry.is_unread) == ("not published", True)


def test_slurm_conf(tmp_path: Path) -> None:
    cluster, found = state(
        tmp_path,
        RunningConfiguration(slurm_conf={"SlurmdTimeout": "30 sec"}),
        slurm={"configuration": "scripted"},
    )
    entries = list(slurm_differences(cluster, found, load_catalog()))
    differences = [entry for entry in entries if isinstance(entry, Difference)]
    assert [(d.path, d.deployed, d.file) for d in differences] == [
        ("SlurmdTimeout", "30 sec", "300")
    ]
    missing = [entry.what for entry in entries if isinstance(entry, NotCompared)]
    assert "the running Slurm configuration: KillWait" in missing


def test_managed_configuration_is_hyperpods(tmp_path: Path) -> None:
    cluster, found = state(tmp_path, RunningConfiguration(slurm_conf={"SlurmdTimeout": "1"}))
    (entry,) = slurm_differences(cluster, found, load_catalog())
    assert isinstance(entry, NotCompared)
    assert entry.reason == "HyperPod writes slurm.conf in the managed configuration"


@pytest.mark.parametrize(
    ("actual", "expected", "same"),
    [
        ("300 sec", "300", True),
        ("Contain,Alloc", "alloc,contain", True),
        ("300", "301", False),
        (None, "300", False),
    ],
)
def test_settings(actual: str | None, expected: str, same: bool) -> None:
    assert same_setting(actual, expected) is same


def test_images(tmp_path: Path) -> None:
    found = cluster_state(load(tmp_path))
    cluster = found.cluster
    assert not isinstance(cluster, NotRead)
    assert cluster is not None
    group = PlatformGroup("workers", 1, 1, current_image="1.0.0", desired_image="1.1.0")
    changed = replace(found, cluster=replace(cluster, groups=(group,)))
    assert list(image_differences(found)) == []
    assert list(image_differences(changed)) == [
        Difference("workers", "image", "1.0.0", "1.1.0", "image")
    ]
