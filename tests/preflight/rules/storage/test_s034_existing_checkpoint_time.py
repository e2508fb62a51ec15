"""Tests of CW-S034."""

from __future__ import annotations

import dataclasses
from typing import Any

from clusterwright.preflight.facts import storage
from clusterwright.preflight.facts.files import FreeCapacity
from tests.preflight.existing_storage import FOUND, FS_ID
from tests.preflight.harness import Harness
from tests.preflight.rules.support.existing_file_systems import SAVES


def test_throughput_of_existing_file_systems_is_used(rule: Harness) -> None:
    # 4,800 GiB at 1,000 MB/s per TiB: 4,687.5 MB/s, and 1,000 GiB take 229.06 s.
    empty = {FreeCapacity(FS_ID): 4800.0}
    fast = dataclasses.replace(FOUND, throughput_mbps_per_tib=1000)
    known = {**empty, storage.FileSystems(): (fast,)}

    def run(**values: float) -> dict[str, Any]:
        return {**SAVES, "run": {"hours": 1, "checkpoint_gib": 1000, **values}}

    rule.fails(
        "CW-S034",
        run(max_checkpoint_seconds=229),
        known,
        path="run.max_checkpoint_seconds",
        message=f"takes 229 s on {FS_ID}",
    )
    rule.passes("CW-S034", run(max_checkpoint_seconds=230), known)
    rule.passes("CW-S034", run(), known)
    rule.fails(
        "CW-S034",
        run(checkpoint_gib=2401),
        known,
        path="run.checkpoint_gib",
        message="do not fit on",
    )
    old = {
        **empty,
        storage.FileSystems(): (dataclasses.replace(FOUND, deployment_type="SCRATCH_1"),),
    }
    rule.unsure(
        "CW-S034",
        run(max_checkpoint_seconds=1),
        old,
        path="run.checkpoint_gib",
        message="the throughput of fs-0123456789abcdef0 (SCRATCH_1) is unknown",
    )
    rule.passes("CW-S034", SAVES, tested=False)


def test_data_of_others_leaves_less_for_checkpoints(rule: Harness) -> None:
    fast = dataclasses.replace(FOUND, throughput_mbps_per_tib=1000)
    changes = {**SAVES, "run": {"hours": 1, "checkpoint_gib": 1000}}

    def free(gib: float | None) -> dict[Any, Any]:
        return {storage.FileSystems(): (fast,), FreeCapacity(FS_ID): gib}

    rule.passes("CW-S034", changes, free(2000.0))
    rule.fails(
        "CW-S034",
        changes,
        free(1999.0),
        path="run.checkpoint_gib",
        message=f"{FS_ID} has 1,999 of 4,800 GiB free, and two checkpoints of 1,000 GiB need "
        "2,000",
        severity="warning",
        numbers=(2000, 2801, 4800),
    )
    rule.fails("CW-S034", changes, free(999.0), path="run.checkpoint_gib",
               message="has 999 of 4,800 GiB free", severity="error")  # fmt: skip
    rule.unsure("CW-S034", changes, free(None), path="run.checkpoint_gib",
                message="CloudWatch has no FreeDataStorageCapacity")  # fmt: skip
