"""Security groups and their rules, counted without a synthesis."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.platforms.security_group_rules import security_groups_built, vpc_ranges
from tests.support.rich_specs import EXISTING, ON_EKS
from tests.support.specs import LUSTRE, SMALL
from tests.support.validation import cluster


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {"nodes": (1, 4)}),
        ({"network.egress": "closed"}, {"nodes": (1, 4), "endpoints": (1, 1)}),
        ({"storage.lustre": [LUSTRE]}, {"nodes": (2, 5), "lustre": (2, 3)}),
        (
            {"storage.lustre": [{**LUSTRE, "efa": False}]},
            {"nodes": (3, 6), "lustre": (4, 5)},
        ),
        (
            {"storage.home": {"kind": "openzfs", "capacity_gib": 128}},
            {"nodes": (1, 10), "home": (6, 1)},
        ),
        (
            {"slurm.accounting": {"kind": "rds"}},
            {"nodes": (1, 4), "controller": (0, 2), "database": (1, 1)},
        ),
    ],
)
def test_rules_of_each_group(
    changes: dict[str, Any], expected: dict[str, tuple[int, int]]
) -> None:
    nat = {"network.egress": "nat"}
    controller = {"controller": (0, 1)}
    found = security_groups_built(cluster({**nat, **changes}, SMALL))
    assert found == controller | expected


def test_the_control_plane_admits_connected_networks() -> None:
    ranges = ["10.8.0.0/16", "10.9.0.0/16"]
    without = security_groups_built(cluster(base=ON_EKS))["control plane"]
    found = security_groups_built(cluster({"kubernetes.private_access_cidrs": ranges}, ON_EKS))
    assert found["control plane"] == (without[0] + 2, without[1])


def test_an_existing_network_has_no_new_group() -> None:
    assert security_groups_built(cluster(base=EXISTING)) == {}


def test_ranges_of_the_vpc() -> None:
    spec = cluster({"network.secondary_cidrs": ["10.1.0.0/24"]}, SMALL)
    assert vpc_ranges(spec) == ["10.0.0.0/16", "10.1.0.0/24"]
