"""Why units of systemd failed."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.systemd_results import RESULTS, STEPS, cause
from tests.diagnosis.made import findings, of_log


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "systemd[1]: slurmd.service: Main process exited, code=exited, status=203/EXEC",
            "the service slurmd does not run: its program does not exist or cannot be executed",
        ),
        (
            "systemd[1]: slurmd.service: Failed at step NAMESPACE spawning /usr/sbin/slurmd: No "
            "such file or directory",
            "the service slurmd does not run: a path that its unit lists does not exist or cannot "
            "be mounted (/usr/sbin/slurmd)",
        ),
        (
            "systemd[1]: nodeadm.service: Failed at step EXEC spawning /usr/bin/nodeadm: "
            "Permission denied",
            "the service nodeadm does not run: its program does not exist or cannot be executed "
            "(/usr/bin/nodeadm): it has no permission",
        ),
        (
            "systemd[1]: slurmctld.service: Failed with result 'timeout'.",
            "the service slurmctld does not run: it did not start or stop in the time that its "
            "unit allows",
        ),
    ],
)
def test_cause_is_that_of_the_step_or_the_result(line: str, words: str) -> None:
    (found,) = findings(*of_log(line))
    assert found.cause == words


def test_result_without_a_reason_is_none() -> None:
    assert cause({"unit": "a", "result": "exit-code"}) is None
    assert cause({"unit": "a", "step": "FROB"}) is None


@pytest.mark.parametrize("name", [*RESULTS, *STEPS])
def test_every_result_and_step_has_a_sentence(name: str) -> None:
    key = "step" if name in STEPS else "result"
    assert (cause({"unit": "a", key: name}) or "").startswith("the service a does not run: ")
