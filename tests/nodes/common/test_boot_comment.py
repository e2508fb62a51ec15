"""The result of a test at boot as a comment: what is written is read again."""

from __future__ import annotations

from typing import Any

import pytest
from clusterwright_common import boot_comment

RESULT = {
    "verdict": "rejected",
    "level": "quick",
    "ended_at": "2026-11-27T14:00:00Z",
    "instance_id": "i-0abc",
    "action": "replace",
    "reason": "gpu-count: 7 GPUs, 8 expected",
}


@pytest.mark.parametrize(
    "change",
    [{}, {"verdict": "accepted", "action": "none", "reason": ""}, {"instance_id": None}],
    ids=["rejected", "accepted", "no-instance"],
)
def test_what_is_written_is_read(change: dict[str, Any]) -> None:
    result = {**RESULT, **change}
    assert boot_comment.read(boot_comment.written(result)) == [result]


def test_a_reason_is_no_field_of_scontrol() -> None:
    text = boot_comment.written({**RESULT, "reason": "xid: State=79 | once\n  twice " + "x" * 500})
    assert "=" not in text
    assert "\n" not in text
    assert len(text) == boot_comment.MOST_LETTERS
    (found,) = boot_comment.read(text)
    assert found["reason"].startswith("xid: State:79 / once twice xxx")


def test_results_of_earlier_instances_stay() -> None:
    comment = "mine"
    results = [{**RESULT, "ended_at": f"2026-11-27T1{hour}:00:00Z"} for hour in range(5)]
    for result in results:
        comment = boot_comment.written(result, comment)
    assert boot_comment.read(comment) == results[-boot_comment.MOST_RESULTS :]
    assert "mine" not in comment


@pytest.mark.parametrize(
    "comment",
    ["", "(null)", "mine", "clusterwright acceptance: new", "clusterwright acceptance: "],
)
def test_other_comments_are_no_results(comment: str) -> None:
    assert boot_comment.read(comment) == []
