"""Tests of CW-C007."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.support import specs


def test_placement_group_is_refused_on_hyperpod(rule: Harness) -> None:
    rule.fails(
        "CW-C007",
        {"compute.1.placement_group": True},
        path="compute[1].placement_group",
        message="CreateCluster has no field for a placement group",
    )
    rule.passes("CW-C007", {"compute.1.placement_group": False})


def test_placement_group_is_refused_for_a_capacity_block(rule: Harness) -> None:
    block = {"kind": "capacity-block", "id": "cr-0123456789abcdef0"}
    changes = {"compute.1.capacity": block, "compute.1.placement_group": True}
    spec = specs.unchecked(rule.folder, {**changes, "platform": "parallelcluster"})
    rule.fails(
        "CW-C007",
        spec=spec,
        path="compute[1].placement_group",
        message="capacity-block capacity does not support a placement group",
    )
