"""Checkpoints: only on storage that supports writing, flushing and renaming."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.validation import checkpoints
from tests.support.rich_specs import EXISTING
from tests.support.validation import found


def test_consistent_specs_pass() -> None:
    assert found(checkpoints.problems) == {}
    assert found(checkpoints.problems, base=EXISTING) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        (
            {"storage.checkpoint_path": "/s3/datasets"},
            "storage.checkpoint_path",
            "and saving a checkpoint requires renaming and changing files, which Mountpoint for "
            "S3 does not support",
        ),
        (
            {"storage.checkpoint_path": "/s3/datasets/run"},
            "storage.checkpoint_path",
            "it is read-only",
        ),
        (
            {"storage.checkpoint_path": "/fsx2/run"},
            "storage.checkpoint_path",
            "is not on a file system of the cluster",
        ),
    ],
)
def test_contradictions_are_reported(changes: dict[str, Any], path: str, message: str) -> None:
    problems = found(checkpoints.problems, changes)
    assert list(problems) == [path]
    assert message in problems[path]


@pytest.mark.parametrize("place", ["/fsx", "/archive/a", "/lake", "/scratch/x", "/home/ada"])
def test_every_writable_file_system_is_accepted(place: str) -> None:
    assert found(checkpoints.problems, {"storage.checkpoint_path": place}) == {}


def test_mounted_paths_are_listed() -> None:
    from tests.support.validation import cluster

    (problem,) = checkpoints.problems(cluster({"storage.checkpoint_path": "/x"}))
    assert problem.hint == "mounted: /archive, /fsx, /home, /lake, /scratch"
