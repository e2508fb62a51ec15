"""Tests of CW-S020."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.checkpoints import spec


def test_checkpoint_parts_that_exceed_local_disks_are_reported(rule: Harness) -> None:
    # 8 disks of 3,800 GB per node: 30,400 GB for two parts.
    scratch = {"compute.1.scratch": {}, "compute.1.spare_count": 1}
    most = 30_400 / 2 * 3 * 10**9 / 1024**3
    rule.fails(
        "CW-S020",
        {**spec(checkpoint_gib=most + 1), **scratch},
        path="compute[1].scratch",
        message="over 3 nodes) do not fit on the 30,400 GB of p5.48xlarge",
    )
    rule.passes("CW-S020", {**spec(checkpoint_gib=most - 1), **scratch})
    rule.passes("CW-S020", spec(checkpoint_gib=most + 1), tested=False)
