"""Tests of the eks quotas."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.catalog import load_catalog
from clusterwright.preflight.context import Context
from clusterwright.preflight.facts import counts
from clusterwright.preflight.rules.quotas import q095_growth
from tests.preflight.harness import TODAY, Harness, quota
from tests.preflight.rules.support.platforms import EKS, HYPERPOD, SCALED, WORKERS
from tests.support import specs


def test_eks_cluster_quota_of_the_region(rule: Harness) -> None:
    spec = specs.unchecked(rule.folder, {"platform": "hyperpod-eks"})
    limit = quota("eks", "L-1194D53C", 1)
    rule.fails(
        "CW-Q060",
        None,
        {counts.EksClusters(): ("other",), **limit},
        spec=spec,
        path="platform",
        message='the cluster needs 1 of "Clusters"',
        numbers=(1, 1, 1),
    )
    rule.passes("CW-Q060", None, {counts.EksClusters(): ("test",), **limit}, spec=spec)
    rule.passes("CW-Q060", tested=False)


def test_node_group_quota_of_a_cluster(rule: Harness) -> None:
    two = {**EKS, "compute": [WORKERS, {**WORKERS, "name": "more"}]}
    rule.fails(
        "CW-Q061",
        two,
        quota("eks", "L-6D54EA21", 1),
        path="compute",
        message='2 groups need 2 of "Managed node groups per cluster"',
        numbers=(2, 0, 1),
    )
    rule.passes("CW-Q061", two, quota("eks", "L-6D54EA21", 2))
    rule.passes("CW-Q061", HYPERPOD, tested=False)


@pytest.mark.parametrize(
    ("group", "key", "need"),
    [(WORKERS, "count", 4), ({**WORKERS, "max_count": 9}, "max_count", 9)],
)
def test_node_quota_of_a_group(rule: Harness, group: dict[str, Any], key: str, need: int) -> None:
    spec = {**EKS, "compute": [group]}
    rule.fails(
        "CW-Q062",
        spec,
        quota("eks", "L-BD136A63", need - 1),
        path=f"compute[0].{key}",
        message=f'the group workers needs {need} of "Nodes per managed node group"',
        numbers=(need, 0, need - 1),
    )
    rule.passes("CW-Q062", spec, quota("eks", "L-BD136A63", need))
    rule.passes("CW-Q062", HYPERPOD, tested=False)


def test_karpenter_nodes_are_in_no_node_group(rule: Harness) -> None:
    """Neither now nor at the maximum: one node group of four, whatever Karpenter adds."""
    one, four = quota("eks", "L-6D54EA21", 1), quota("eks", "L-BD136A63", 4)
    rule.passes("CW-Q061", SCALED, one)
    rule.passes("CW-Q062", SCALED, four)
    # Without it, 900 nodes are three node groups of two groups, and 500 are two.
    plain = {**SCALED, "kubernetes": {}}
    rule.fails(
        "CW-Q061",
        plain,
        one,
        path="compute",
        message='4 groups need 4 of "Managed node groups per cluster"',
        numbers=(4, 0, 1),
    )

    def at_growth(spec: dict[str, Any]) -> set[str]:
        context = Context(specs.load(rule.folder, spec), load_catalog(), TODAY)
        return {growth.rule.id for _, growth in q095_growth.GrowthQuotas().subjects(context)}

    assert "CW-Q020" in at_growth(SCALED)
    assert not at_growth(SCALED) & {"CW-Q061", "CW-Q062"}
    assert "CW-Q020" in at_growth(plain)
