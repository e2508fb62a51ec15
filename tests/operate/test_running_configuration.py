"""Images, inputs of the node program, and slurm.conf."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.cluster_state.not_read import NotRead
from clusterwright.cluster_state.published import RunningConfiguration, SchedulerView
from clusterwright.cluster_state.results import ClusterState, PlatformGroup
from clusterwright.operate.results import Difference, NotCompared
from clusterwright.operate.running_configuration import (
    NO_ADDRESS,
    image_differences,
    inputs_sha256,
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
