"""Tests of CW-C023."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.support import specs


def test_mixed_spot_and_permanent_capacity_in_a_partition_is_reported(rule: Harness) -> None:
    spare = {**specs.SMALL["compute"][1], "name": "cheap", "capacity": {"kind": "spot"}}
    one = {"slurm.partitions": [{"name": "train", "groups": ["workers", "cheap"]}]}
    rule.fails(
        "CW-C023",
        {"compute.2": spare, **one},
        path="slurm.partitions[0].groups",
        message="the partition `train` mixes Spot (cheap) with other capacity (workers)",
        severity="warning",
    )
    two = [
        {"name": "train", "groups": ["workers"]},
        {"name": "cheap", "groups": ["cheap"]},
    ]
    rule.passes("CW-C023", {"compute.2": spare, "slurm.partitions": two})
    # A group with 0 instances is not a mix.
    rule.passes("CW-C023", {"compute.2": {**spare, "count": 0}, **one})
