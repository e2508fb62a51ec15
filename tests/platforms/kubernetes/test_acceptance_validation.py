"""Nodes for add-ons, while others are held."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.platforms.kubernetes.acceptance_validation import problems
from tests.support.rich_specs import EKS, EKS_MINIMAL, HYPERPOD_EKS
from tests.support.validation import found

HOLD = {"acceptance": {"image": "registry.example/tests@sha256:" + "a" * 64, "hold": True}}


def _only_compute(spec: dict[str, Any]) -> dict[str, Any]:
    return {**spec, "compute": [g for g in spec["compute"] if g.get("role") != "system"]}


@pytest.mark.parametrize("spec", [EKS, HYPERPOD_EKS], ids=["eks", "hyperpod-eks"])
def test_cluster_whose_nodes_are_all_held_is_refused(spec: dict[str, Any]) -> None:
    mine = _only_compute(spec)
    mine["compute"] = [{**mine["compute"][0], "taints": []}]
    mine["compute"][0].pop("mig_profile", None)
    ((path, message),) = found(problems, HOLD, mine).items()
    assert path == "acceptance.hold"
    assert "DNS and other add-ons could not run" in message
    assert found(problems, {}, {**mine, "acceptance": {}}) == {}


def test_group_that_is_not_held_runs_addons() -> None:
    system = {"name": "system", "role": "system", "instance_type": "m5.4xlarge", "count": 2}
    number = len(EKS_MINIMAL["compute"])
    assert found(problems, HOLD, EKS_MINIMAL) != {}
    assert found(problems, {**HOLD, f"compute.{number}": system}, EKS_MINIMAL) == {}


def test_group_with_taints_is_named_by_another_finding() -> None:
    taints = {"compute.0.taints": [{"key": "gpu", "effect": "NoSchedule"}]}
    assert found(problems, {**HOLD, **taints}, EKS_MINIMAL) == {}
