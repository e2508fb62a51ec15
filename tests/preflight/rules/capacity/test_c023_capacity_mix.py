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
        message="the partition `train` mixes capacity that is interrupted (cheap) "
        "with other capacity (workers)",
        severity="warning",
    )
    lent = {"kind": "reservation", "id": "cr-0123456789abcdef0", "interruptible": True}
    on_pcs = {"platform": "pcs", "compute.0.role": "login"}
    mixed = {"compute.2": {**spare, "capacity": lent}, **one, **on_pcs}
    rule.fails(
        "CW-C023",
        mixed,
        path="slurm.partitions[0].groups",
        message="is interrupted (cheap) with other capacity (workers)",
        severity="warning",
    )
    reserved = {"compute.2": {**spare, "capacity": {**lent, "interruptible": False}}}
    rule.passes("CW-C023", {**reserved, **one, **on_pcs})
    two = [
        {"name": "train", "groups": ["workers"]},
        {"name": "cheap", "groups": ["cheap"]},
    ]
    rule.passes("CW-C023", {"compute.2": spare, "slurm.partitions": two})
    # A group with 0 instances is not a mix.
    rule.passes("CW-C023", {"compute.2": {**spare, "count": 0}, **one})
