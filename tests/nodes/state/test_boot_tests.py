"""What nodes report of their tests at boot becomes what the controller knows of them."""

from __future__ import annotations

from pathlib import Path

from clusterwright_common import boot_comment, node_records, records
from clusterwright_common.probe import Probe
from clusterwright_state import boot_tests
from clusterwright_state.acceptance import Runs

RESULT = {
    "verdict": "accepted",
    "level": "quick",
    "ended_at": "2026-11-27T14:00:00Z",
    "instance_id": "i-0abc",
    "action": "none",
    "reason": "",
}


def probe_of(folder: Path, *comments: str) -> Probe:
    """A scontrol that shows a node for each comment."""
    lines = [
        f"NodeName=n{number} Arch=x86_64 State=IDLE+CLOUD Comment={comment} OwnerJobId=1"
        if comment
        else f"NodeName=n{number} Arch=x86_64 State=IDLE+CLOUD OwnerJobId=1"
        for number, comment in enumerate(comments, 1)
    ]
    command = folder / "bin/scontrol"
    command.parent.mkdir(exist_ok=True)
    text = "\n".join(lines)
    command.write_text(f"#!/bin/sh\ntest \"$*\" = '--oneliner show nodes' || exit 1\n"
                       f"cat <<'E'\n{text}\nE\n")  # fmt: skip
    command.chmod(0o755)
    return Probe("/", 10.0, f"{command.parent}:/usr/bin:/bin")


def test_a_newer_result_is_kept_once(tmp_path: Path) -> None:
    first = boot_comment.written(RESULT)
    assert boot_tests.keep(probe_of(tmp_path, first, "mine", ""), str(tmp_path)) == ["n1"]
    found = records.read(node_records.path_of(tmp_path, "n1"))
    assert (found["state"], found["tested_at"]) == ("accepted", RESULT["ended_at"])
    assert boot_tests.keep(probe_of(tmp_path, first), str(tmp_path)) == []
    later = {**RESULT, "ended_at": "2026-11-27T15:00:00Z", "instance_id": "i-0def"}
    rejected = {**later, "verdict": "rejected", "action": "replace", "reason": "cpus: 190"}
    assert boot_tests.keep(probe_of(tmp_path, boot_comment.written(rejected)), str(tmp_path)) == [
        "n1"
    ]
    found = records.read(node_records.path_of(tmp_path, "n1"))
    assert (found["state"], found["reason"], found["action"]) == (
        *("rejected", "cpus: 190", "replace"),
    )
    assert [row["run"] for row in found["history"]] == [
        *("20261127T140000Z-boot", "20261127T150000Z-boot")
    ]


def test_a_result_that_the_next_instance_followed_is_kept(tmp_path: Path) -> None:
    bad = {**RESULT, "verdict": "rejected", "action": "replace", "reason": "cpus: 190"}
    good = {**RESULT, "ended_at": "2026-11-27T14:02:00Z", "instance_id": "i-0def"}
    comment = boot_comment.written(good, boot_comment.written(bad))
    assert boot_tests.keep(probe_of(tmp_path, comment), str(tmp_path)) == ["n1", "n1"]
    found = records.read(node_records.path_of(tmp_path, "n1"))
    assert found["state"] == "accepted"
    assert [(row["instance_id"], row["verdict"]) for row in found["history"]] == [
        *(("i-0abc", "rejected"), ("i-0def", "accepted"))
    ]


def test_a_test_at_boot_counts_for_this_boot(tmp_path: Path) -> None:
    boot_tests.keep(probe_of(tmp_path, boot_comment.written(RESULT)), str(tmp_path))
    node = {"name": "n1", "instance_id": None, "boot_time": "2026-11-27T13:58:00Z"}
    states = Runs(str(tmp_path)).states([node])
    assert states is not None
    assert states["n1"]["state"] == "accepted"
    states = Runs(str(tmp_path)).states([{**node, "boot_time": "2026-11-27T14:30:00Z"}])
    assert states is not None
    assert states["n1"]["state"] == "new"


def test_without_slurmctld_nothing_is_kept(tmp_path: Path) -> None:
    probe = probe_of(tmp_path)
    (tmp_path / "bin/scontrol").write_text("#!/bin/sh\nexit 1\n")
    assert boot_tests.keep(probe, str(tmp_path)) == []
    assert not (tmp_path / "nodes").exists()
