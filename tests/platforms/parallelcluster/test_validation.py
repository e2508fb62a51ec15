"""Contradictions in a ParallelCluster spec."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.platforms.parallelcluster import validation
from tests.support.parallelcluster_specs import SMALL, with_groups
from tests.support.validation import found

BLOCK = {"kind": "capacity-block", "id": "cr-0123456789abcdef0"}
RESERVATION = {"kind": "reservation", "id": "cr-0123456789abcdef0"}
SPOT = {
    "name": "spot",
    "role": "compute",
    "instance_type": "p5.48xlarge",
    "count": 2,
    "capacity": {"kind": "spot"},
}
BASE: dict[str, Any] = {
    **with_groups({**SMALL["compute"][2]}, SPOT),
    "slurm": {
        "accounting": {"kind": "none"},
        "partitions": [
            {"name": "training", "groups": ["workers"]},
            {"name": "spot", "groups": ["spot"]},
        ],
    },
}


def test_consistent_spec_passes() -> None:
    assert found(validation.problems, base=BASE) == {}


def test_other_platforms_are_skipped() -> None:
    changes = {"platform": "hyperpod-slurm", "slurm.configuration": "scripted"}
    assert found(validation.problems, changes, base=BASE) == {}


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        (
            {"slurm.configuration": "scripted"},
            "slurm.configuration",
            "ParallelCluster configures Slurm itself",
        ),
        (
            {"slurm.topology": "block"},
            "slurm.topology",
            "blocks only for p6e-gb200 in capacity blocks",
        ),
        (
            {"slurm.accounting": {"kind": "local"}},
            "slurm.accounting.kind",
            "no accounting database on its head node",
        ),
        (
            {
                "slurm.accounting": {
                    "kind": "rds",
                    "existing": {
                        "endpoint": "db.internal",
                        "secret_arn": "arn:aws:secretsmanager:us-east-1:111122223333:secret:a-b",
                    },
                }
            },
            "slurm.accounting.existing",
            "requires the name of the database user",
        ),
        (
            {
                "storage.home": {
                    "kind": "openzfs",
                    "existing": {
                        "dns_name": "fs-0f1e2d3c4b5a69788.fsx.us-east-1.amazonaws.com",
                        "security_group_id": "sg-0f1e2d3c4b5a69788",
                    },
                }
            },
            "storage.home.existing",
            "mounts an OpenZFS volume by its id",
        ),
        (
            {
                "network": {
                    "availability_zone_id": "use1-az6",
                    "existing": {
                        "vpc_id": "vpc-0a1b2c3d4e5f60718",
                        "subnet_ids": ["subnet-0a1b2c3d4e5f60718", "subnet-0a1b2c3d4e5f60719"],
                        "security_group_ids": ["sg-0a1b2c3d4e5f60718"],
                    },
                }
            },
            "network.existing.subnet_ids[1]",
            "supports one subnet",
        ),
        (
            {"compute.2.spare_count": 1},
            "compute[2].spare_count",
            "on-demand capacity has no free instances",
        ),
        (
            {"compute.2.count": 0},
            "compute[2].count",
            "a queue must allow at least one node",
        ),
        (
            {"compute.2.count": 0, "compute.2.part_of": "workers"},
            "compute[2].capacity",
            "a fallback has 0 instances",
        ),
        (
            {"compute.2.capacity": BLOCK, "compute.2.count": 0, "compute.2.max_count": 4},
            "compute[2].count",
            "all instances of a capacity block run from the start",
        ),
        (
            {"compute.2.capacity": BLOCK, "compute.2.min_count": 2},
            "compute[2].min_count",
            "min_count must be equal to count 4, got 2",
        ),
        (
            {"compute.2.capacity": BLOCK, "compute.2.max_count": 8},
            "compute[2].max_count",
            "max_count must be equal to count 4, got 8",
        ),
        (
            {"compute.2.capacity": RESERVATION, "compute.2.placement_group": True},
            "compute[2].placement_group",
            "a reservation has a fixed placement",
        ),
        (
            {"slurm.partitions": [{"name": "all", "groups": ["workers", "spot"]}]},
            "slurm.partitions[0].groups",
            "`workers` is on-demand and `spot` is spot",
        ),
        (
            {
                "slurm.partitions": [{"name": "all", "groups": ["workers", "spot"]}],
                "compute.3.capacity": {"kind": "on-demand"},
                "compute.3.scratch": {"mount_path": "/nvme"},
            },
            "slurm.partitions[0].groups",
            "have different scratch settings",
        ),
    ],
)
def test_contradictions_are_reported(changes: dict[str, Any], path: str, message: str) -> None:
    problems = found(validation.problems, changes, base=BASE)
    assert path in problems
    assert message in problems[path]


def test_valid_combinations_pass() -> None:
    """A reservation is on-demand capacity for a queue; spares are unused in it; nodes may grow."""
    changes = {
        "compute.2.capacity": RESERVATION,
        "compute.2.spare_count": 1,
        "compute.3.capacity": {"kind": "on-demand"},
        "compute.3.count": 0,
        "compute.3.max_count": 8,
        "slurm.partitions": [{"name": "all", "groups": ["workers", "spot"]}],
    }
    assert found(validation.problems, changes, base=BASE) == {}


GB200 = {
    "name": "ultra",
    "role": "compute",
    "instance_type": "p6e-gb200.36xlarge",
    "count": 18,
    "capacity": BLOCK,
}


@pytest.mark.parametrize(
    ("topology", "groups", "message"),
    [
        ("tree", (), None),
        ("none", (), None),
        ("block", (GB200,), None),
        ("auto", (GB200,), None),
        (
            "tree",
            (GB200,),
            "a cluster with UltraServers does not support topology tree",
        ),
        (
            "none",
            (GB200,),
            "a cluster with UltraServers does not support topology none",
        ),
        # Its generator considers only capacity blocks.
        ("block", ({**GB200, "capacity": RESERVATION},), "for p6e-gb200 in capacity blocks"),
        ("tree", ({**GB200, "capacity": RESERVATION},), None),
    ],
)
def test_ultraserver_topology_is_that_of_parallelcluster(
    topology: str, groups: tuple[dict[str, Any], ...], message: str | None
) -> None:
    base = {
        **with_groups(SMALL["compute"][2], *groups),
        "slurm": {"accounting": {"kind": "none"}, "topology": topology},
    }
    problems = found(validation.problems, base=base)
    if message is None:
        assert problems == {}
    else:
        assert message in problems["slurm.topology"]
