"""Tests of CW-S018."""

from __future__ import annotations

import pytest

from tests.preflight.harness import Harness
from tests.preflight.rules.support.checkpoints import FSX, spec


def test_slow_checkpoint_is_reported(rule: Harness) -> None:
    # 1,000 GiB are 1,073,742 MB; at 4,687.5 MB/s they take 229.06 s.
    changes = spec(checkpoint_gib=1000, max_checkpoint_seconds=229)
    finding = rule.fails(
        "CW-S018",
        changes,
        path="run.max_checkpoint_seconds",
        message="a checkpoint of 1,000 GiB takes 229 s: `fsx` writes 4,688 MB/s; 229 s",
        numbers=(4689, None, 4688),
    )
    assert finding.hint is not None
    assert "9,603 GiB at 500 MB/s per TiB" in finding.hint
    rule.passes("CW-S018", spec(checkpoint_gib=1000, max_checkpoint_seconds=230))
    rule.passes("CW-S018", spec(checkpoint_gib=1000), tested=False)
    rule.passes("CW-S018", {"run": {"hours": 1}}, tested=False)


def test_checkpoint_longer_than_its_interval_is_reported(rule: Harness) -> None:
    rule.fails(
        "CW-S018",
        spec(checkpoint_gib=2000, checkpoint_interval_minutes=7, max_checkpoint_seconds=900),
        path="run.checkpoint_interval_minutes",
        message="takes 458 s: `fsx` writes 4,688 MB/s; the next one begins after 7 min",
    )
    rule.passes("CW-S018", spec(checkpoint_gib=2000, checkpoint_interval_minutes=8))


def test_throughput_of_few_clients_is_limiting(rule: Harness) -> None:
    # Without EFA a client has 100 Gbps: two have 25,000 MB/s; the file system has 93,750.
    big = {**FSX, "efa": False, "capacity_gib": 192_000}
    few = {**spec(lustre=big, checkpoint_gib=2400, max_checkpoint_seconds=100)}
    rule.fails(
        "CW-S018",
        {**few, "compute.1.count": 2},
        path="run.max_checkpoint_seconds",
        message="its clients write 25,000 MB/s together",
    )
    rule.passes("CW-S018", {**few, "compute.1.count": 4})


@pytest.mark.parametrize(("kind", "answer"), [("SCRATCH_1", "unsure"), ("SCRATCH_2", "fails")])
def test_scratch_has_the_throughput_of_its_type(rule: Harness, kind: str, answer: str) -> None:
    scratch = {"mount_path": "/fsx", "deployment_type": kind, "capacity_gib": 3600}
    changes = spec(lustre=scratch, checkpoint_gib=100, max_checkpoint_seconds=100)
    if answer == "unsure":
        message = "no source states the throughput of"
        rule.unsure("CW-S018", changes, path="run.max_checkpoint_seconds", message=message)
    else:
        rule.fails(
            "CW-S018", changes, path="run.max_checkpoint_seconds", message="writes 703 MB/s"
        )


def test_intelligent_tiering_has_its_stated_throughput(rule: Harness) -> None:
    tiering = {
        "mount_path": "/fsx", "storage_type": "INTELLIGENT_TIERING", "throughput_mbps": 4000,
    }  # fmt: skip
    changes = spec(lustre=tiering, checkpoint_gib=1000, max_checkpoint_seconds=200)
    rule.fails("CW-S018", changes, path="run.max_checkpoint_seconds", message="takes 268 s")
    rule.passes("CW-S019", changes)


def test_zero_nodes_are_handled(rule: Harness) -> None:
    changes = spec(checkpoint_gib=1000, max_checkpoint_seconds=1)
    rule.passes("CW-S018", {**changes, "compute.1.count": 0}, tested=False)
    rule.passes("CW-S020", {**changes, "compute.1.count": 0}, tested=False)
