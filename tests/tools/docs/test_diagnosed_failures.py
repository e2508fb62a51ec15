"""The list of diagnosed failures: every cause is named, and nothing else."""

from __future__ import annotations

import re

import pytest

from tools.docs.diagnosed_failures import Failure, measured, page, read

FAILURES = read()
AT_THE_FIRST_TRY = {
    2: (16, 25),
    3: (22, 78),
    4: (30, 39),
    5: (23, 36),
    6: (53, 85),
    7: (41, 77),
    8: (41, 79),
    9: (51, 77),
    10: (30, 49),
    11: (51, 82),
    12: (16, 28),
    13: (9, 17),
    14: (60, 105),
    15: (18, 26),
    16: (19, 39),
    17: (2, 13),
    18: (6, 10),
    19: (10, 29),
    20: (3, 8),
    21: (31, 55),
    22: (8, 15),
    23: (30, 48),
    24: (13, 23),
    25: (23, 36),
    26: (14, 16),
    27: (13, 23),
    28: (9, 12),
    29: (16, 28),
    30: (19, 32),
    31: (16, 29),
    32: (23, 41),
    33: (27, 45),
}
"""Measured once, on 2026-11-23, 2026-11-24, 2026-11-27, 2026-11-28 to 2026-12-01, before the
signatures were extended; never to be changed."""


NOT_NAMED = {
    # The kernel writes this line at the boot of healthy instances too.
    "A GPU's PCIe link is slower than it should be",
    # Nor is this an error of its program: it goes on, and waits.
    "A tracker retries for ever without a network",
    # The client writes this line of every retry, and most retries have success.
    "A server closes the download of training data",
    # DCGM writes this line on nodes without NVSwitches too.
    "DCGM cannot read the NVSwitches",
    # The network plug-in writes this also where the pod gets its address a second later.
    "The network plug-in has no address left for a pod",
}


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure.failure)
def test_first_finding_has_the_cause_and_there_is_no_other(failure: Failure) -> None:
    (result,) = measured([failure])
    found = [finding.cause for finding in result.findings]
    assert result.named == (failure.failure not in NOT_NAMED), found
    assert result.false_causes == (), found
    assert all(finding.next for finding in result.findings)


def test_list_is_large_enough_and_complete() -> None:
    failures = [failure for failure in FAILURES if failure.cause is not None]
    assert len(failures) >= 900
    assert len(FAILURES) - len(failures) >= 95
    assert len({failure.failure for failure in FAILURES}) == len(FAILURES)
    for failure in FAILURES:
        assert failure.source
        assert failure.evidence
        assert (failure.first_try is not None) == (failure.sample > 1)
        assert failure.cause is None or re.compile(failure.cause)


def test_first_measurement_of_the_hold_out_is_kept() -> None:
    for sample, (named, size) in AT_THE_FIRST_TRY.items():
        entries = [f for f in FAILURES if f.sample == sample]
        assert (sum(f.first_try is True for f in entries), len(entries)) == (named, size)


def test_wrong_cause_and_false_cause_are_counted() -> None:
    job = {"job_log": "ModuleNotFoundError: No module named 'x'"}
    wrong = Failure("f", "s", (job, {"scaling": "RequestLimitExceeded"}), "disk full")
    (result,) = measured([wrong])
    assert not result.named
    assert len(result.false_causes) == 2
    assert "| First, used to write the signatures | 1 | 0 | 2 |" in page([result])
