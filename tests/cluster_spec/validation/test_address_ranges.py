"""Address ranges: of a size that a VPC supports, and disjoint."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.cluster_spec.validation import address_ranges
from tests.support.rich_specs import EXISTING
from tests.support.validation import found


def test_consistent_specs_pass() -> None:
    assert found(address_ranges.problems) == {}
    assert found(address_ranges.problems, base=EXISTING) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        (
            {"network.cidr": "10.8.0.0/15"},
            "network.cidr",
            "a VPC range must be between /16 and /28, got /15",
        ),
        (
            {"network.cidr": "10.0.0.0/29"},
            "network.cidr",
            "a VPC range must be between /16 and /28, got /29",
        ),
        (
            {"network.cidr": "0.8.0.0/16"},
            "network.cidr",
            "no host can have an address of 0.8.0.0/16",
        ),
        ({"network.cidr": "127.0.0.0/16"}, "network.cidr", "it is the loopback range"),
        ({"network.cidr": "169.254.0.0/16"}, "network.cidr", "it is the link-local range"),
        ({"network.cidr": "224.0.0.0/16"}, "network.cidr", "it is of multicast groups"),
        ({"network.secondary_cidrs": ["240.0.0.0/16"]}, "network.secondary_cidrs[0]", "reserved"),
        ({"network.cidr": "10.0.0.1/16"}, "network.cidr", "has host bits set"),
        ({"network.cidr": "10.0.0.0/99"}, "network.cidr", "is not a CIDR range"),
        (
            {"network.secondary_cidrs": ["10.0.128.0/24"]},
            "network.secondary_cidrs[0]",
            "10.0.128.0/24 overlaps 10.0.0.0/16",
        ),
        (
            {"network.secondary_cidrs": ["10.1.0.0/24", "10.1.0.0/25"]},
            "network.secondary_cidrs[1]",
            "overlaps 10.1.0.0/24",
        ),
        (
            {"network.peered_cidrs": ["10.9.0.0/16", "10.8.0.1/16"]},
            "network.peered_cidrs[1]",
            "has host bits set",
        ),
        (
            {"network.peered_cidrs": ["0.0.0.0/0"]},
            "network.peered_cidrs[0]",
            "contains every address, which cannot be the range of a connected network",
        ),
    ],
)
def test_contradictions_are_reported(changes: dict[str, Any], path: str, message: str) -> None:
    problems = found(address_ranges.problems, changes)
    assert list(problems) == [path]
    assert message in problems[path]


def test_correct_range_is_suggested() -> None:
    from tests.support.validation import cluster

    (problem,) = address_ranges.problems(cluster({"network.cidr": "10.0.7.0/16"}))
    assert problem.hint == "write 10.0.0.0/16"
