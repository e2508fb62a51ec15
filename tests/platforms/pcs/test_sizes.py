"""Tests of clusterwright.platforms.pcs.sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from clusterwright.platforms.pcs.sizes import needed, size_of, smallest
from tests.platforms.pcs.specs import cluster


@pytest.mark.parametrize(
    ("instances", "jobs", "name"),
    [
        (32, 256, "SMALL"),
        (33, 256, "MEDIUM"),
        (32, 257, "MEDIUM"),
        (512, 8192, "MEDIUM"),
        (513, 1, "LARGE"),
        (2048, 16_384, "LARGE"),
        (2049, 1, None),
        (1, 16_385, None),
    ],
)
def test_smallest_sufficient_size(instances: int, jobs: int, name: str | None) -> None:
    found = smallest(instances=instances, jobs=jobs)
    assert (found.name if found else None) == name


def test_reason_names_instances_and_jobs(tmp_path: Path) -> None:
    found = cluster(tmp_path, compute__1__max_count=40, pcs={"max_jobs": 1000})
    assert needed(found).reason == "41 instances need MEDIUM (512); 1,000 jobs need MEDIUM (8,192)"
    assert size_of(found) == "MEDIUM"


def test_stated_size_is_used(tmp_path: Path) -> None:
    assert size_of(cluster(tmp_path, pcs={"size": "LARGE"})) == "LARGE"
