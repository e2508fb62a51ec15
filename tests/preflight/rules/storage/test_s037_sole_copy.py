"""Tests of CW-S037."""

from __future__ import annotations

from typing import Any

from tests.preflight.harness import Harness
from tests.support import specs

EXPORT = {"s3": "s3://acme-checkpoints", "path": "/checkpoints", "export": ["NEW"]}


def saving(hours: float = 720, **lustre: Any) -> dict[str, Any]:
    return {
        "storage.lustre": [{**specs.LUSTRE, **lustre}],
        "storage.checkpoint_path": "/fsx/checkpoints",
        "run": {"hours": hours},
    }


def test_only_copy_on_a_persistent_file_system_is_stated(rule: Harness) -> None:
    finding = rule.fails(
        "CW-S037",
        saving(),
        path="storage.checkpoint_path",
        message="`fsx` has the only copy of the checkpoints of 720 hours: no repository exports "
        "/fsx/checkpoints, and there are no backups",
        severity="info",
    )
    assert finding.hint is not None
    assert finding.hint.startswith("add a repository with export")
    rule.fails("CW-S037", {**saving(), "protection": "destroy"}, path="storage.checkpoint_path",
               message="protection: destroy deletes it", severity="warning")  # fmt: skip


def test_export_backup_and_short_runs_pass(rule: Harness) -> None:
    rule.passes("CW-S037", saving(repositories=[EXPORT]))
    rule.passes("CW-S037", saving(backup_retention_days=7))
    rule.passes("CW-S037", saving(hours=24), tested=False)
    other = {**EXPORT, "path": "/results"}
    rule.fails("CW-S037", saving(repositories=[other]), path="storage.checkpoint_path",
               message="no repository exports")  # fmt: skip


def test_scratch_file_systems_are_left_to_their_rule(rule: Harness) -> None:
    scratch = {"mount_path": "/fsx", "deployment_type": "SCRATCH_2", "capacity_gib": 4800}
    changes = {**saving(), "storage.lustre": [scratch]}
    rule.passes("CW-S037", changes)
