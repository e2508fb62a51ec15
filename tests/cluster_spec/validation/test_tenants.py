"""Tenants on Kubernetes; those on Slurm are in test_tenancy.py, with their accounts."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.validation import tenants
from tests.platforms.kubernetes.specs import EKS, HYPERPOD
from tests.support.validation import found


@pytest.mark.parametrize("base", [EKS, HYPERPOD], ids=["eks", "hyperpod-eks"])
def test_consistent_specs_pass(base: dict[str, Any]) -> None:
    assert found(tenants.problems, base=base) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        ({"tenants.1.name": "guests"}, "tenants[2].name", "duplicate `guests`"),
        (
            {"tenants.0.name": "kube-system"},
            "tenants[0].name",
            "the namespace `kube-system` is reserved",
        ),
        (
            {"tenants.0.name": "default"},
            "tenants[0].name",
            "the namespace `default` is reserved",
        ),
        *(
            (
                {"tenants.0.name": name},
                "tenants[0].name",
                f"the namespace `{name}` is reserved",
            )
            for name in (
                "amazon-cloudwatch",
                "clusterwright-metrics",
                "hyperpod-inference-system",
                "hyperpod-observability",
                "mount-s3",
            )
        ),
        (
            {"tenants.0.groups": ["reserchers"]},
            "tenants[0].groups[0]",
            "group `reserchers` does not exist",
        ),
        (
            {"tenants.0.priority": "urgnet"},
            "tenants[0].priority",
            "priority `urgnet` does not exist",
        ),
        (
            {"tenants.0.egress_cidrs": ["10.0.0.1/8"]},
            "tenants[0].egress_cidrs[0]",
            "10.0.0.1/8 is not a CIDR range",
        ),
        (
            {"tenants.0.weight": 65_533},
            "tenants[2].borrowing",
            "its share of 11 nodes, divided by groups, is 0 nodes, and it may not borrow",
        ),
    ],
)
def test_errors_have_their_positions(changes: dict[str, Any], path: str, message: str) -> None:
    assert found(tenants.problems, changes, base=EKS) == {path: message}


def test_partitioned_node_is_shared_by_tenants() -> None:
    """Partitions are shared individually; whole nodes are not counted."""
    changes: dict[str, Any] = {
        "platform": "hyperpod-eks",
        "compute": [
            {"name": "parts", "role": "compute", "instance_type": "p5.48xlarge", "count": 1}
        ],
        "tenants": [{"name": "a", "weight": 9}, {"name": "b", "borrowing": False}],
    }
    whole = found(tenants.problems, changes)
    assert (
        "its share of 1 nodes is 0 nodes, and it may not borrow" in whole["tenants[1].borrowing"]
    )
    divided = {**changes["compute"][0], "mig_profile": "all-1g.10gb"}
    assert found(tenants.problems, {**changes, "compute": [divided]}) == {}


ALONE = [{"name": "a", "borrowing": False}, {"name": "b", "borrowing": False}]


def one_node(name: str) -> dict[str, Any]:
    return {"name": name, "role": "compute", "instance_type": "p5.48xlarge", "count": 1}


def test_shares_are_computed_as_for_quotas() -> None:
    """Kueue divides each group: of two groups with one node the first tenant would have both."""
    changes: dict[str, Any] = {
        "platform": "hyperpod-eks",
        "compute": [one_node("one"), one_node("two")],
        "tenants": ALONE,
    }
    (message,) = found(tenants.problems, changes).values()
    assert message == "its share of 2 nodes, divided by groups, is 0 nodes, and it may not borrow"
    # Task governance has quotas per type, independent of the group.
    assert found(tenants.problems, {**changes, "hyperpod": {"task_governance": {}}}) == {}
    other = {**one_node("two"), "instance_type": "p5en.48xlarge"}
    apart = {**changes, "compute": [one_node("one"), other]}
    assert found(tenants.problems, {**apart, "hyperpod": {"task_governance": {}}}) != {}


def test_nodes_added_by_karpenter_are_shared() -> None:
    grows = {**one_node("one"), "count": 0, "max_count": 2}
    changes: dict[str, Any] = {"compute": [EKS["compute"][0], grows], "tenants": ALONE}
    assert len(found(tenants.problems, changes, base=EKS)) == 2
    scaled = {**changes, "kubernetes": {"autoscaling": "karpenter"}}
    assert found(tenants.problems, scaled, base=EKS) == {}
