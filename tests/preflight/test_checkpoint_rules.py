"""Whether checkpoints fit: in the time there is, on shared storage, on the nodes' own drives."""

from __future__ import annotations

from typing import Any

import pytest

from tests.preflight.harness import Harness
from tests.support import specs

FSX = {**specs.LUSTRE, "capacity_gib": 9600, "throughput_mbps_per_tib": 500}


def spec(*, lustre: dict[str, Any] | None = None, **run: Any) -> dict[str, Any]:
    """4 x p5.48xlarge that write to 9,600 GiB at 500 MB/s per TiB: 4,687.5 MB/s."""
    return {
        "storage.lustre": [lustre or FSX],
        "storage.checkpoint_path": "/fsx/checkpoints",
        "run": {"hours": 24, **run},
    }


def test_a_checkpoint_must_be_whole_in_time(rule: Harness) -> None:
    # 1,000 GiB are 1,073,742 MB, which takes 4,687.5 MB/s 229.06 s.
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


def test_the_next_checkpoint_waits_for_the_one_before(rule: Harness) -> None:
    rule.fails(
        "CW-S018",
        spec(checkpoint_gib=2000, checkpoint_interval_minutes=7, max_checkpoint_seconds=900),
        path="run.checkpoint_interval_minutes",
        message="takes 458 s: `fsx` writes 4,688 MB/s; the next one begins after 7 min",
    )
    rule.passes("CW-S018", spec(checkpoint_gib=2000, checkpoint_interval_minutes=8))


def test_few_clients_are_slower_than_the_file_system(rule: Harness) -> None:
    # Without EFA a client has 100 Gbps: two of them 25,000 MB/s; the file system 93,750.
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
def test_scratch_has_the_throughput_of_its_kind(rule: Harness, kind: str, answer: str) -> None:
    scratch = {"mount_path": "/fsx", "deployment_type": kind, "capacity_gib": 3600}
    changes = spec(lustre=scratch, checkpoint_gib=100, max_checkpoint_seconds=100)
    if answer == "unsure":
        message = "no source states the throughput of"
        rule.unsure("CW-S018", changes, path="run.max_checkpoint_seconds", message=message)
    else:
        rule.fails(
            "CW-S018", changes, path="run.max_checkpoint_seconds", message="writes 703 MB/s"
        )


def test_intelligent_tiering_says_its_throughput(rule: Harness) -> None:
    tiering = {
        "mount_path": "/fsx", "storage_type": "INTELLIGENT_TIERING", "throughput_mbps": 4000,
    }  # fmt: skip
    changes = spec(lustre=tiering, checkpoint_gib=1000, max_checkpoint_seconds=200)
    rule.fails("CW-S018", changes, path="run.max_checkpoint_seconds", message="takes 268 s")
    rule.passes("CW-S019", changes)


def test_home_directories_are_slow(rule: Harness) -> None:
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


def test_large_numbers_are_written_out_and_bad_tiers_are_another_rules(rule: Harness) -> None:
    rule.fails(
        "CW-S019",
        spec(checkpoint_gib=1_000_000),
        path="run.checkpoint_gib",
        message="two checkpoints of 1,000,000 GiB",
    )
    odd = {**FSX, "throughput_mbps_per_tib": 77}
    rule.passes("CW-S018", spec(lustre=odd, checkpoint_gib=10, max_checkpoint_seconds=1))


def test_nothing_is_divided_by_no_nodes(rule: Harness) -> None:
    changes = spec(checkpoint_gib=1000, max_checkpoint_seconds=1)
    rule.passes("CW-S018", {**changes, "compute.1.count": 0}, tested=False)
    rule.passes("CW-S020", {**changes, "compute.1.count": 0}, tested=False)


def test_the_checkpoint_before_stays_meanwhile(rule: Harness) -> None:
    rule.fails(
        "CW-S019",
        spec(checkpoint_gib=4801),
        path="run.checkpoint_gib",
        message="two checkpoints of 4,801 GiB do not fit on `fsx` of 9,600 GiB",
        numbers=(9602, None, 9600),
    )
    rule.passes("CW-S019", spec(checkpoint_gib=4800))


def test_parts_must_fit_on_the_nodes_drives(rule: Harness) -> None:
    # 8 drives of 3,800 GB a node: 30,400 GB for two parts.
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
