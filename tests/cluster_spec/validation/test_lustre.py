"""Lustre: combinations of values."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.validation import lustre
from tests.support.rich_specs import EXISTING
from tests.support.validation import ABSENT, found


def test_consistent_specs_pass() -> None:
    assert found(lustre.problems) == {}
    assert found(lustre.problems, base=EXISTING) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        (
            {"storage.lustre.1.deployment_type": "PERSISTENT_2"},
            "storage.lustre[1].storage_type",
            "HDD requires PERSISTENT_1, not PERSISTENT_2",
        ),
        (
            {"storage.lustre.2.capacity_gib": 1200},
            "storage.lustre[2].capacity_gib",
            "Intelligent-Tiering does not support capacity_gib",
        ),
        (
            {"storage.lustre.2.throughput_mbps": ABSENT},
            "storage.lustre[2].throughput_mbps",
            "Intelligent-Tiering requires it",
        ),
        (
            {"storage.lustre.2.repositories": [{"s3": "s3://abc", "path": "/"}]},
            "storage.lustre[2].repositories",
            "Intelligent-Tiering does not support repositories",
        ),
        (
            {"storage.lustre.0.capacity_gib": ABSENT},
            "storage.lustre[0].capacity_gib",
            "SSD requires it",
        ),
        (
            {"storage.lustre.0.throughput_mbps_per_tib": ABSENT},
            "storage.lustre[0].throughput_mbps_per_tib",
            "PERSISTENT_2 requires it",
        ),
        (
            {"storage.lustre.0.throughput_mbps": 4000},
            "storage.lustre[0].throughput_mbps",
            "requires INTELLIGENT_TIERING",
        ),
        (
            {"storage.lustre.0.read_cache": {"mode": "none"}},
            "storage.lustre[0].read_cache",
            "requires INTELLIGENT_TIERING",
        ),
        (
            {"storage.lustre.0.metadata.iops": ABSENT},
            "storage.lustre[0].metadata",
            "iops is required with mode: provisioned and not allowed otherwise",
        ),
        (
            {"storage.lustre.0.metadata.mode": "automatic"},
            "storage.lustre[0].metadata",
            "iops is required with mode: provisioned and not allowed otherwise",
        ),
        (
            {"storage.lustre.2.metadata": {"mode": "automatic"}},
            "storage.lustre[2].metadata.mode",
            "Intelligent-Tiering supports only provisioned metadata IOPS",
        ),
        (
            {"storage.lustre.0.hdd_read_cache": True},
            "storage.lustre[0].hdd_read_cache",
            "hdd_read_cache requires HDD",
        ),
        (
            {"storage.lustre.2.read_cache.mode": "none"},
            "storage.lustre[2].read_cache",
            "capacity_gib is required with mode: provisioned and not allowed otherwise",
        ),
        (
            {"storage.lustre.0.backup_retention_days": 7},
            "storage.lustre[0].backup_retention_days",
            "a file system with repositories does not support automatic backups",
        ),
        (
            {"storage.lustre.1.efa": True},
            "storage.lustre[1].efa",
            "EFA requires PERSISTENT_2, not",
        ),
        (
            {"storage.lustre.1.metadata": {"mode": "automatic"}},
            "storage.lustre[1].metadata",
            "metadata settings require PERSISTENT_2",
        ),
        (
            {
                "storage.lustre.3": {
                    "name": "s",
                    "mount_path": "/s",
                    "deployment_type": "SCRATCH_2",
                    "capacity_gib": 1200,
                    "throughput_mbps_per_tib": 125,
                }
            },
            "storage.lustre[3].throughput_mbps_per_tib",
            "SCRATCH_2 has a fixed throughput",
        ),
        (
            {
                "storage.lustre.3": {
                    "name": "s",
                    "mount_path": "/s",
                    "deployment_type": "SCRATCH_2",
                    "capacity_gib": 1200,
                    "backup_retention_days": 1,
                }
            },
            "storage.lustre[3].backup_retention_days",
            "SCRATCH_2 does not support backups",
        ),
        (
            {
                "storage.lustre.3": {
                    "name": "s",
                    "mount_path": "/s",
                    "deployment_type": "SCRATCH_1",
                    "capacity_gib": 1200,
                    "repositories": [{"s3": "s3://abc", "path": "/"}],
                }
            },
            "storage.lustre[3].repositories",
            "SCRATCH_1 does not support repositories",
        ),
        (
            {
                "storage.lustre.2.deployment_type": "PERSISTENT_1",
                "storage.lustre.2.metadata": ABSENT,
            },
            "storage.lustre[2].deployment_type",
            "Intelligent-Tiering requires PERSISTENT_2, not",
        ),
    ],
)
def test_contradictions_are_reported(changes: dict[str, Any], path: str, message: str) -> None:
    problems = found(lustre.problems, changes)
    assert list(problems) == [path]
    assert message in problems[path]


def test_scratch_file_system_supports_repositories() -> None:
    scratch = {
        "name": "s",
        "mount_path": "/s",
        "deployment_type": "SCRATCH_2",
        "capacity_gib": 1200,
        "repositories": [{"s3": "s3://abc", "path": "/"}],
    }
    assert found(lustre.problems, {"storage.lustre.3": scratch}) == {}
