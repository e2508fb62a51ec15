"""Groups that Karpenter scales."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.karpenter import is_on, runs_in_cluster, scaled_groups
from tests.support.rich_specs import BUILT, EKS_KARPENTER, EKS_MINIMAL, HYPERPOD_EKS
from tests.support.validation import cluster


@pytest.mark.parametrize(
    ("spec", "on", "in_cluster"),
    [
        (EKS_KARPENTER, True, True),
        (EKS_MINIMAL, False, False),
        (HYPERPOD_EKS, True, False),
        (BUILT, False, False),
    ],
)
def test_where_karpenter_runs(spec: dict[str, Any], on: bool, in_cluster: bool) -> None:
    found = cluster(base=spec)
    assert (is_on(found), runs_in_cluster(found)) == (on, in_cluster)


def names(spec: dict[str, Any], changes: dict[str, Any] | None = None) -> list[str]:
    return [group.name for group in scaled_groups(cluster(changes, spec))]


def test_eks_needs_room_above_the_count() -> None:
    assert names(EKS_KARPENTER) == ["workers", "block"]
    assert names(EKS_KARPENTER, {"compute.1.count": 4}) == ["block"]
    assert names(EKS_MINIMAL) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"compute.4.restricted": True},
        {"compute.4.mig_profile": "all-1g.10gb"},
        {"compute.4.role": "system"},
    ],
)
def test_hyperpod_scales_only_whole_unrestricted_nodes(changes: dict[str, Any]) -> None:
    assert names(HYPERPOD_EKS) == ["elastic"]
    assert names(HYPERPOD_EKS, changes) == []
