"""The policy of `diagnose` grants what it calls, read-only, and no more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clusterwright.cluster_state.failure_permissions import diagnosing
from clusterwright.platforms.loading import load_cluster
from tests.support.rich_specs import EKS_MINIMAL, MINIMAL, PCS_MINIMAL
from tests.support.specs import write


def granted(spec: Any, folder: Path) -> dict[str, tuple[str, ...]]:
    return diagnosing(load_cluster(write(folder / "s.yaml", spec)).cluster)


@pytest.mark.parametrize("spec", [MINIMAL, EKS_MINIMAL, PCS_MINIMAL])
def test_every_action_reads(spec: Any, tmp_path: Path) -> None:
    for action in granted(spec, tmp_path):
        assert action.partition(":")[2].startswith(("Describe", "List", "Get"))


def test_log_groups_and_the_published_state_are_limited(tmp_path: Path) -> None:
    found = granted(MINIMAL, tmp_path)
    place = "arn:aws:logs:us-east-1:111122223333:log-group:/aws/sagemaker/Clusters/test/*"
    assert found["logs:GetLogEvents"] == (place,)
    assert found["s3:GetObject"][0].endswith("/state/scheduler.json")
    assert "eks:DescribeCluster" not in found
    assert "pcs:GetCluster" not in found
    assert "pcs:GetCluster" in granted(PCS_MINIMAL, tmp_path)
    assert "s3:GetObject" not in granted(EKS_MINIMAL, tmp_path)
