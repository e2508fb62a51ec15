"""Records of Slurm's commands."""

from __future__ import annotations

from clusterwright_common.scontrol import words
from clusterwright_state.records import (
    SEPARATOR,
    reason_parts,
    rows,
    state_words,
    text_or_none,
    time_or_none,
)

NODE = (
    "NodeName=ip-10-1-0-33 Arch=x86_64 CoresPerSocket=48 NodeAddr=10.1.0.33 OS=Linux 6.8.0 #1 SMP "
    "Mon Nov 3 10:00:00 UTC 2026 RealMemory=2048 State=IDLE*+DRAIN+NOT_RESPONDING "
    "Partitions=workers BootTime=2026-11-23T06:00:00 Reason=Not responding "
    "[root@2026-11-23T07:58:00]"
)


def test_values_of_a_record_may_contain_blanks() -> None:
    found = words(NODE)
    assert found["NodeName"] == "ip-10-1-0-33"
    assert found["OS"] == "Linux 6.8.0 #1 SMP Mon Nov 3 10:00:00 UTC 2026"
    assert found["Reason"] == "Not responding [root@2026-11-23T07:58:00]"


def test_a_reason_does_not_replace_other_values() -> None:
    found = words(NODE.replace("Not responding", "Xid 79, was State=IDLE Partitions=none"))
    assert (found["State"], found["Partitions"]) == ("IDLE*+DRAIN+NOT_RESPONDING", "workers")
    assert found["Reason"] == "Xid 79, was State=IDLE Partitions=none [root@2026-11-23T07:58:00]"


def test_states_lose_the_marks_of_sinfo() -> None:
    assert state_words(words(NODE)["State"]) == ["IDLE", "DRAIN", "NOT_RESPONDING"]


def test_reason_names_its_author_and_time() -> None:
    assert reason_parts("Not responding [root@2026-11-23T07:58:00]") == (
        "Not responding",
        "root",
        "2026-11-23T07:58:00Z",
    )
    assert reason_parts("an [odd] reason") == ("an [odd] reason", None, None)
    assert reason_parts("none") == ("", None, None)


def test_rows_of_another_width_are_left_out() -> None:
    assert rows(f"a{SEPARATOR} b \nc\n", 2) == [["a", "b"]]


def test_what_slurm_prints_for_nothing_is_none() -> None:
    assert text_or_none("(null)") is None
    assert time_or_none("Unknown") is None
    assert time_or_none("2026-11-23T06:00:00") == "2026-11-23T06:00:00Z"
