"""Tests of CW-S013."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.file_systems import SAVES, SCRATCH, lustre


def test_checkpoints_on_scratch_without_an_export_are_reported(rule: Harness) -> None:
    rule.fails(
        "CW-S013",
        {**SAVES, "storage.lustre": [SCRATCH]},
        path="storage.checkpoint_path",
        message="/fsx/checkpoints is on SCRATCH_2",
    )
    elsewhere = {"s3": "s3://acme-out", "path": "/out", "export": ["NEW"]}
    rule.fails(
        "CW-S013",
        {**SAVES, "storage.lustre": [{**SCRATCH, "repositories": [elsewhere]}]},
        path="storage.checkpoint_path",
        message="no repository exports it",
    )
    importing = {"s3": "s3://acme-out", "path": "/checkpoints", "import": ["NEW"]}
    rule.fails(
        "CW-S013",
        {**SAVES, "storage.lustre": [{**SCRATCH, "repositories": [importing]}]},
        path="storage.checkpoint_path",
        message="no repository exports it",
    )
    exporting = {"s3": "s3://acme-out", "path": "/checkpoints", "export": ["NEW", "CHANGED"]}
    rule.passes("CW-S013", {**SAVES, "storage.lustre": [{**SCRATCH, "repositories": [exporting]}]})
    rule.passes("CW-S013", {**SAVES, **lustre()})


def test_checkpoints_on_local_disks_are_reported(rule: Harness) -> None:
    rule.fails(
        "CW-S013",
        {"storage.checkpoint_path": "/scratch/ckpt", "compute.1.scratch": {}},
        path="storage.checkpoint_path",
        message="on the local drives",
    )
