"""Names, mount paths, tags and waivers: unique."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.validation import unique_names
from tests.support.rich_specs import EXISTING
from tests.support.validation import found


def test_consistent_specs_pass() -> None:
    assert found(unique_names.problems) == {}
    assert found(unique_names.problems, base=EXISTING) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        ({"environment": "7b"}, "environment", "begins with a digit, and names of stacks"),
        ({"environment": "2027-01-31"}, "environment", "begins with a digit"),
        ({"compute.3.name": "workers"}, "compute[3].name", "duplicate group `workers`"),
        (
            {"storage.lustre.1.name": "main"},
            "storage.lustre[1].name",
            "duplicate file system `main`",
        ),
        (
            {"storage.buckets.1.name": "acme-datasets"},
            "storage.buckets[1].name",
            "duplicate bucket `",
        ),
        (
            {"storage.lustre.1.mount_path": "/fsx/archive"},
            "storage.lustre[1].mount_path",
            "/fsx/archive and /fsx overlap",
        ),
        ({"storage.home.mount_path": "/fsx"}, "storage.home.mount_path", "overlap"),
        (
            {"storage.lustre.0.mount_path": "/opt/slurm"},
            "storage.lustre[0].mount_path",
            "is reserved by the image",
        ),
        (
            {"storage.lustre.0.mount_path": "/etc/x"},
            "storage.lustre[0].mount_path",
            "is reserved by the image",
        ),
        (
            {"storage.lustre.0.mount_path": "/opt"},
            "storage.lustre[0].mount_path",
            "would hide /opt/dlami of the image",
        ),
        (
            {"storage.lustre.0.mount_path": "/opt/dlami/nvme"},
            "storage.lustre[0].mount_path",
            "is reserved by the image",
        ),
        ({"tags.AWS:x": "y"}, "tags.AWS:x", "`: the tag prefix aws: is reserved"),
        (
            {
                "waivers.1": {
                    "rule": "CW-N003",
                    "path": "network.cidr",
                    "reason": "once more, please",
                    "expires": "2027-01-01",
                }
            },
            "waivers[1].rule",
            "duplicate waiver `",
        ),
    ],
)
def test_contradictions_are_reported(changes: dict[str, Any], path: str, message: str) -> None:
    problems = found(unique_names.problems, changes)
    assert list(problems) == [path]
    assert message in problems[path]


def test_groups_can_share_the_path_of_local_disks() -> None:
    changes = {"compute.3.scratch": {"mount_path": "/scratch"}}
    assert found(unique_names.problems, changes) == {}


def test_scratch_can_use_the_mount_path_of_the_image() -> None:
    changes = {"compute.2.scratch.mount_path": "/opt/dlami/nvme"}
    assert found(unique_names.problems, changes) == {}


def test_directory_bucket_can_share_a_base_name() -> None:
    changes = {"storage.buckets.2.name": "acme-datasets"}
    assert found(unique_names.problems, changes) == {}


@pytest.mark.parametrize(
    ("path", "folder", "expected"),
    [
        ("/fsx", "/fsx", True),
        ("/fsx/a", "/fsx", True),
        ("/fsx2", "/fsx", False),
        ("/a", "/", True),
        ("/fsx", "/fsx/a", False),
    ],
)
def test_within(path: str, folder: str, expected: bool) -> None:
    assert unique_names.within(path, folder) is expected
