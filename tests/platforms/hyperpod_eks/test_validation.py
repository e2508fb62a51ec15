"""Valid combinations of HyperPod with EKS."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.validation import unused_fields
from clusterwright.platforms.hyperpod_eks import validation
from tests.support.rich_specs import HYPERPOD_EKS, HYPERPOD_EKS_MINIMAL
from tests.support.validation import ABSENT, found


@pytest.mark.parametrize("base", [HYPERPOD_EKS, HYPERPOD_EKS_MINIMAL], ids=["full", "minimal"])
def test_consistent_specs_pass(base: dict[str, Any]) -> None:
    assert found(validation.problems, base=base) == {}


GOVERNANCE = "hyperpod.task_governance.priority_classes"


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        ({"compute.0.restricted": True}, "compute[0].restricted", "requires the role compute"),
        (
            {"compute.0.mig_profile": "all-1g.10gb"},
            "compute[0].mig_profile",
            "requires the role compute",
        ),
        ({"compute.3.labels": {"a": "b"}}, "compute[3].labels", "does not support `labels`"),
        (
            {"compute.3.taints": [{"key": "a", "effect": "NoExecute"}]},
            "compute[3].taints",
            "does not support `taints`",
        ),
        ({"compute.3.min_count": 1}, "compute[3].min_count", "does not support `min_count`"),
        (
            {"compute.3.network_interface": "efa"},
            "compute[3].network_interface",
            "does not support `network_interface`",
        ),
        ({"compute.3.scratch": {}}, "compute[3].scratch", "does not support `scratch`"),
        ({"compute.3.mig_profile": "all-1g.10gb"}, "compute[3].mig_profile", "does not support"),
        ({"compute.3.max_count": 4}, "compute[3].max_count", "does not support `max_count`"),
        (
            {"compute.3.capacity": {"kind": "spot"}},
            "compute[3].capacity.kind",
            "does not support spot",
        ),
        (
            {
                "compute.2.capacity": {"kind": "spot"},
                "resilience.node_provisioning": "all-at-once",
                "hyperpod.autoscaling": "off",
            },
            "compute[2].capacity.kind",
            "spot instances require continuous provisioning",
        ),
        (
            {"hyperpod.tiered_storage.memory_percent": 100},
            "hyperpod.tiered_storage.memory_percent",
            "and jobs would have none",
        ),
        (
            {
                "resilience.node_provisioning": "all-at-once",
                "compute.1.min_count": ABSENT,
                "compute.2.capacity": {"kind": "on-demand"},
            },
            "hyperpod.autoscaling",
            "continuous provisioning",
        ),
        ({"resilience.node_recovery": "none"}, "hyperpod.autoscaling", "node recovery"),
        (
            {"hyperpod.addons.1.name": "training-operator"},
            "hyperpod.addons[1].name",
            "duplicate add-on training-operator",
        ),
        ({"observability.prometheus": False}, "hyperpod.addons[1].name", "Prometheus workspace"),
        (
            {f"{GOVERNANCE}.1.name": "training"},
            f"{GOVERNANCE}[1].name",
            "duplicate priority class",
        ),
        (
            {"compute.3.restricted": False},
            "hyperpod.restricted_lustre",
            "no group is restricted",
        ),
        (
            {"hyperpod.restricted_lustre.capacity_gib": 3600},
            "hyperpod.restricted_lustre.capacity_gib",
            "must be 1200 or a multiple of 2400",
        ),
    ],
)
def test_contradictions_are_reported(changes: dict[str, Any], path: str, message: str) -> None:
    problems = found(validation.problems, changes, base=HYPERPOD_EKS)
    assert list(problems) == [path]
    assert message in problems[path]


def test_one_group_must_accept_cluster_pods() -> None:
    only = [{**HYPERPOD_EKS["compute"][3], "role": "compute"}]
    problems = found(validation.problems, {"compute": only}, base=HYPERPOD_EKS)
    assert "every group is restricted" in problems["compute"]


@pytest.mark.parametrize("platform", ["hyperpod-slurm", "eks"])
@pytest.mark.parametrize("key", ["hyperpod", "compute"])
def test_other_platforms_refuse_hyperpod_settings(platform: str, key: str) -> None:
    base = dict(HYPERPOD_EKS)
    if key == "compute":
        base.pop("hyperpod")
    problems = found(unused_fields.problems, {"platform": platform}, base=base)
    where = "hyperpod" if key == "hyperpod" else "compute[2].mig_profile"
    assert "hyperpod-eks" in problems[where]


@pytest.mark.parametrize("lifecycle", [{"steps": ["site/step.py"]}, {"artefacts": "list.json"}])
def test_node_program_steps_are_refused(lifecycle: dict[str, Any]) -> None:
    problems = found(unused_fields.problems, {"lifecycle": lifecycle}, base=HYPERPOD_EKS)
    assert "with EKS, nodes are configured by the HyperPod image" in problems["lifecycle"]


def test_restricted_group_is_not_shared_by_tenants() -> None:
    """Only Nova's recipes run there."""
    only = [g | {"restricted": True} for g in HYPERPOD_EKS["compute"] if g["name"] == "nova"]
    system = [g for g in HYPERPOD_EKS["compute"] if g["role"] == "system"]
    changes = {"compute": [*system, *only], "hyperpod.autoscaling": "off"}
    problems = found(validation.problems, changes, base=HYPERPOD_EKS)
    assert "tenants have no nodes to share" in problems["tenants"]
