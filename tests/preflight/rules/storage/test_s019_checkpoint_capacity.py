"""Tests of CW-S019."""

from __future__ import annotations

from tests.preflight.harness import Harness
from tests.preflight.rules.support.checkpoints import FSX, spec


def test_home_directories_are_reported_as_slow(rule: Harness) -> None:
    changes = {
        "storage.home": {"kind": "openzfs", "capacity_gib": 1024},
        "storage.checkpoint_path": "/home/checkpoints",
        "run": {"hours": 1, "checkpoint_gib": 100, "max_checkpoint_seconds": 60},
    }
    rule.fails(
        "CW-S018",
        changes,
        path="run.max_checkpoint_seconds",
        message="on home directories of 128 MB/s; 1,790 MB/s are required",
    )
    rule.passes("CW-S019", changes)
    rule.fails(
        "CW-S019",
        {**changes, "storage.home": {"kind": "openzfs", "capacity_gib": 128}},
        path="run.checkpoint_gib",
        message="do not fit on `home` of 128 GiB",
    )


def test_large_numbers_are_formatted(rule: Harness) -> None:
    rule.fails(
        "CW-S019",
        spec(checkpoint_gib=1_000_000),
        path="run.checkpoint_gib",
        message="two checkpoints of 1,000,000 GiB",
    )
    odd = {**FSX, "throughput_mbps_per_tib": 77}
    rule.passes("CW-S018", spec(lustre=odd, checkpoint_gib=10, max_checkpoint_seconds=1))


def test_space_for_two_checkpoints_is_required(rule: Harness) -> None:
    rule.fails(
        "CW-S019",
        spec(checkpoint_gib=4801),
        path="run.checkpoint_gib",
        message="two checkpoints of 4,801 GiB do not fit on `fsx` of 9,600 GiB",
        numbers=(9602, None, 9600),
    )
    rule.passes("CW-S019", spec(checkpoint_gib=4320))


def test_full_file_system_is_not_usable(rule: Harness) -> None:
    finding = rule.fails(
        "CW-S019",
        spec(checkpoint_gib=4400),
        path="run.checkpoint_gib",
        message="two checkpoints of 4,400 GiB leave 800 of 9,600 GiB on `fsx` for all other data: "
        "less than the 10 % of free space below which the alarm fires",
        severity="warning",
        numbers=(8800, None, 8640),
    )
    assert finding.hint == "capacity_gib: at least 9,778, and the data set besides"
