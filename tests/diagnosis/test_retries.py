"""Attempts that are followed by others."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.retries import goes_on
from tests.diagnosis.made import findings, of_log

REFUSED = "cannot connect to 10.0.0.1:6817: Connection refused"


@pytest.mark.parametrize(
    "said",
    [
        "attempt 0 of 5",
        "(attempt 2/3)",
        "Retry 1 out of 4",
        "try #3 of 10",
        "failed [119/120s]: x",
    ],
)
def test_attempt_before_the_last_goes_on(said: str) -> None:
    assert goes_on(f"{REFUSED}, {said}")


@pytest.mark.parametrize(
    "said",
    ["attempt 5 of 5", "(attempt 3/3)", "attempt 2", "entry 1 of 5", "step 1 of 5", "retrying"],
)
def test_last_attempt_and_other_counts_do_not(said: str) -> None:
    assert not goes_on(f"{REFUSED}, {said}")


@pytest.mark.parametrize("last", ["Connected", "x: error: attempt 3 of 4"])
def test_attempts_with_others_after_them_are_no_findings(last: str) -> None:
    tries = [f"error: {REFUSED}, attempt {number} of 4" for number in (1, 2)]
    assert findings(*of_log("\n".join([*tries, last]))) == ()


def test_last_attempt_is_the_failure() -> None:
    tries = [f"error: {REFUSED}, attempt {number} of 4" for number in (1, 2, 3, 4)]
    (found,) = findings(*of_log("\n".join(tries)))
    assert [e.id for e in found.evidence] == ["stream:4"]
    assert "attempt 4 of 4" in found.evidence[0].text
