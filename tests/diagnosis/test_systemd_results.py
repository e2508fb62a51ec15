"""Why units of systemd failed."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.systemd_results import RESULTS, STEPS, cause, reconfigure
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
            "the service slurmctld did not start or stop in the time that its unit allows",
        ),
        (
            "systemd[1]: slurmd.service: State 'stop-sigterm' timed out. Killing.\n"
            "systemd[1]: slurmd.service: Failed with result 'timeout'.",
            "the service slurmd did not stop in time, so that systemd killed it",
        ),
        (
            "systemd[1]: slurmd.service: start operation timed out. Terminating.\n"
            "systemd[1]: slurmd.service: Failed with result 'timeout'.",
            "the service slurmd does not run: it did not start in the time that its unit allows",
        ),
    ],
)
def test_cause_is_that_of_the_step_or_the_result(line: str, words: str) -> None:
    (found,) = findings(*of_log(line))
    assert found.cause == words


def test_failed_start_is_named_beside_another_unit_that_did_not_stop() -> None:
    found = findings(
        *of_log(
            "systemd[1]: docker.service: State 'stop-sigterm' timed out. Killing.\n"
            "systemd[1]: docker.service: Failed with result 'timeout'.\n"
            "systemd[1]: slurmd.service: Failed at step EXEC spawning /usr/sbin/slurmd: No such "
            "file or directory\n"
            "systemd[1]: slurmd.service: Main process exited, code=exited, status=203/EXEC"
        )
    )
    assert sorted(f.cause.partition(" (")[0] for f in found) == [
        "the service docker did not stop in time, so that systemd killed it",
        "the service slurmd does not run: its program does not exist or cannot be executed",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "apt-daily.service: Failed with result 'signal'.",
        "apt-daily-upgrade.service: State 'stop-sigterm' timed out. Killing.",
        "motd-news.service: Failed with result 'timeout'.",
        "snapd.service: Failed with result 'watchdog'.",
        "snap.lxd.daemon.service: Failed with result 'signal'.",
        "user@1000.service: Failed with result 'timeout'.",
        "run-user-1000.mount: Mount process exited, code=exited, status=32/n/a",
    ],
)
def test_units_of_sessions_updates_and_packages_have_no_finding(line: str) -> None:
    assert findings(*of_log(f"Nov 29 10:00:00 ip-10-0-0-5 systemd[1]: {line}")) == ()


def test_result_without_a_reason_is_none() -> None:
    assert cause({"unit": "a", "result": "exit-code"}) is None
    assert cause({"unit": "a", "step": "FROB"}) is None


@pytest.mark.parametrize("name", [*RESULTS, *STEPS])
def test_every_result_and_step_has_a_sentence(name: str) -> None:
    key = "step" if name in STEPS else "result"
    assert (cause({"unit": "a", key: name}) or "").startswith("the service a ")


def test_slurmctld_that_does_not_end_may_hang() -> None:
    line = "systemd[1]: {}.service: State 'stop-sigterm' timed out. Killing."
    assert "24.11.6" in findings(*of_log(line.format("slurmctld")))[0].cause
    assert "24.11.6" not in findings(*of_log(line.format("slurmd")))[0].cause


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "slurm_reconfigure error: Socket timed out on send/recv operation",
            "asked to read its configuration again and gave no answer in time: it is busy or "
            "hangs",
        ),
        ("slurm_shutdown error: Socket timed out on send/recv operation", "asked to end"),
        ("slurm_reconfigure error: Access/permission denied", "only root, SlurmUser and"),
        ("slurm_shutdown error: Invalid user id", "only root, SlurmUser and"),
        ("slurm_reconfigure error: Unexpected message received", "compare their releases"),
        (
            "slurm_reconfigure error: Unable to contact slurm controller (connect failure)",
            "it does not run, or the host does not reach it",
        ),
    ],
)
def test_answer_to_a_reconfiguration(line: str, words: str) -> None:
    (found,) = findings(*of_log(line))
    assert words in found.cause
    assert ("hangs" in found.cause) == ("timed out" in line)
    assert "reservation" not in found.cause


def test_answer_that_is_not_known_is_no_cause() -> None:
    assert reconfigure({"request": "reconfigure", "reason": "frob"}) is None
