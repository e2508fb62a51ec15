"""Groups: roles and counts."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.validation import compute
from tests.support.rich_specs import EXISTING, PARALLELCLUSTER, PCS
from tests.support.validation import found


def test_consistent_specs_pass() -> None:
    assert found(compute.problems) == {}
    assert found(compute.problems, base=EXISTING) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        ({"compute.0.role": "login"}, "compute", "no group has the role controller"),
        (
            {"compute.1.role": "controller"},
            "compute[1].role",
            "only one group can have the role controller",
        ),
        (
            {"compute.0.count": 2},
            "compute[0].count",
            "count is 2: multiple controllers are not supported",
        ),
        (
            {"compute.0.count": 0},
            "compute[0].count",
            "count is 0: multiple controllers are not supported",
        ),
        (
            {"compute.2.min_count": 9},
            "compute[2].min_count",
            "min_count 9 must be at most count 8",
        ),
        (
            {"compute.2.max_count": 7},
            "compute[2].max_count",
            "max_count 7 must be at least count 8",
        ),
        (
            {"compute.0.max_count": 2},
            "compute[0].max_count",
            "a controller group cannot have max_count",
        ),
        (
            {"compute.2.spare_count": 8},
            "compute[2].spare_count",
            "8 spares of 8 instances leave none for jobs",
        ),
        (
            {"compute.1.spare_count": 1},
            "compute[1].spare_count",
            "a login group cannot have spares",
        ),
        (
            {"compute.1.capacity": {"kind": "spot"}},
            "compute[1].capacity.kind",
            "group does not support spot capacity",
        ),
        (
            {"resilience.node_provisioning": "all-at-once"},
            "compute[2].min_count",
            "requires continuous provisioning",
        ),
    ],
)
def test_contradictions_are_reported(changes: dict[str, Any], path: str, message: str) -> None:
    problems = found(compute.problems, changes)
    assert list(problems) == [path]
    assert message in problems[path]


LENT = {"kind": "reservation", "id": "cr-0123456789abcdef0", "interruptible": True}


@pytest.mark.parametrize(
    ("base", "group", "message"),
    [
        (PARALLELCLUSTER, 2, "reservations are not supported on parallelcluster"),
        (PCS, 0, "a login group does not support interruptible capacity"),
        (PCS, 1, None),
    ],
)
def test_interruptible_reservations_are_for_compute_groups_of_pcs(
    base: dict[str, Any], group: int, message: str | None
) -> None:
    problems = found(compute.problems, {f"compute.{group}.capacity": LENT}, base=base)
    key = f"compute[{group}].capacity.interruptible"
    assert problems == ({} if message is None else {key: problems.get(key)})
    assert message is None or message in problems[key]


def test_a_cluster_without_compute_groups_is_refused() -> None:
    changes = {"compute": [{"name": "c", "role": "controller", "instance_type": "x", "count": 1}]}
    assert found(compute.problems, changes) == {"compute": "no group has the role compute"}


def test_group_can_be_empty() -> None:
    changes = {"compute.3.count": 0}
    assert found(compute.problems, changes) == {}


@pytest.mark.parametrize("role", ["controller", "login"])
def test_only_kubernetes_roles_are_suggested_on_kubernetes(role: str) -> None:
    """The number of controllers is not checked on platforms without that role."""
    slurm = {"role": role, "instance_type": "m5.4xlarge", "count": 3, "spare_count": 1}
    changes = {
        "platform": "hyperpod-eks",
        "compute": [
            {**slurm, "name": "a"},
            {**slurm, "name": "b"},
            {"name": "w", "role": "compute", "instance_type": "p5.48xlarge", "count": 2},
        ],
    }
    message = f"hyperpod-eks does not support the role {role}"
    assert found(compute.problems, changes) == {
        "compute[0].role": message,
        "compute[1].role": message,
    }
