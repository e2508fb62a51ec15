"""The verdict's exit code and its forms."""

from __future__ import annotations

import json

import pytest

from clusterwright_rehearsal.report.json_output import verdict_json
from clusterwright_rehearsal.report.text import cleaned_text, verdict_text
from clusterwright_rehearsal.verdict import Promise, Status, Verdict


def _verdict(*statuses: Status) -> Verdict:
    promises = tuple(
        Promise(f"boot.p{n}", "boot", "it boots", status, 1.23456, f"reason {n}")
        for n, status in enumerate(statuses)
    )
    return Verdict("configs/dev.yaml", "dev", "trixie", "slurm 24.11.5", promises)


@pytest.mark.parametrize(
    ("statuses", "code"),
    [
        (("held", "held"), 0),
        (("held", "unknown"), 2),
        (("unknown", "broken", "held"), 1),
        ((), 0),
    ],
)
def test_broken_promise_takes_precedence_over_unknown(
    statuses: tuple[Status, ...], code: int
) -> None:
    assert _verdict(*statuses).exit_code == code
    assert json.loads(verdict_json(_verdict(*statuses)))["exit_code"] == code


def test_json_has_the_contract_keys() -> None:
    answer = json.loads(verdict_json(_verdict("held", "broken")))
    assert answer["command"] == "rehearse"
    assert {"promises", "nodes", "steps", "skipped"} <= answer.keys()
    assert {"id", "scenario", "status", "seconds", "reason"} <= answer["promises"][0].keys()
    assert answer["summary"] == {"held": 1, "broken": 1, "unknown": 0}
    assert answer["not_covered"]


def test_text_lists_promises_with_reasons_and_limitations() -> None:
    text = verdict_text(_verdict("held", "unknown"))
    assert "passed  p0" in text
    assert "(reason 1)" in text
    assert "cgroup" in text
    assert text.endswith("Promises: 1 passed, 1 unknown\n")


def test_clean_reports_removed_resources_and_verification() -> None:
    assert cleaned_text([], [], []) == "nothing was left behind\n"
    assert "verified: " in cleaned_text(["netns a"], [], [])
    assert "could not be removed: mount b" in cleaned_text(["netns a"], ["mount b"], [])
