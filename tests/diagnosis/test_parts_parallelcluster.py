"""Messages of ParallelCluster's daemons by their part."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.parts_parallelcluster import PARTS, error
from tests.diagnosis.made import findings, of_log

CASES = (
    ("resume", "No valid clustermgtd heartbeat detected", "clustermgtd does not run"),
    ("clustermgtd", "Unable to get instances info from EC2", "EC2 cannot be asked"),
    (
        "instance_manager",
        "Not possible to perform job level scaling because Slurm resume file content is empty. "
        "No scaling actions will be taken.",
        "named no jobs",
    ),
    (
        "fleet_manager",
        "Unable to retrieve instance info for instances: ['i-0123456789abcdef0']",
        "did not describe them in time",
    ),
    (
        "capacity_block_manager",
        "Unable to find Capacity Block cr-1 in the internal map.",
        "a Capacity Block or reservation",
    ),
    ("clustermgtd", "Unable to get partition/node info from slurm", "Slurm cannot be asked"),
    ("fleet_manager", "Failed CreateFleet request (1d2): Unauthorized - no", "access is denied"),
    ("instance_manager", "Encountered error when updating nodes a", "name or address"),
    ("instance_manager", "Failed when terminating instances a", "cannot be terminated"),
    ("clustermgtd", "Failed when retrieving fleet status with error: a", "status of the fleet"),
    (
        "resume",
        "Cannot read slurm cloud bursting scripts configuration file: /a",
        "a configuration file",
    ),
    ("task_executor", "Command 'a' timed out after 60 seconds", "a command on the head node"),
)


def line(module: str, message: str, level: str = "ERROR") -> str:
    return f"2026-11-29 10:00:00,123 - 12 - [slurm_plugin.{module}:main] - {level} - {message}"


@pytest.mark.parametrize(("module", "message", "words"), CASES)
def test_message_is_of_its_part(module: str, message: str, words: str) -> None:
    assert words in (error(line(module, message)) or "")


def test_every_part_has_a_message_here_and_others_have_none() -> None:
    said = [error(line(module, message)) or "" for module, message, _ in CASES]
    assert all(any(one.wrong in text for text in said) for one in PARTS)
    assert error(line("clustermgtd", "frob")) is None
    assert error(line("resume", "No valid clustermgtd heartbeat", "WARNING")) is None


@pytest.mark.parametrize(
    ("module", "message", "words"),
    [
        (
            "capacity_block_manager",
            "Unable to retrieve list of existing Slurm reservations. scontrol failed",
            "Slurm cannot be asked",
        ),
        (
            "capacity_block_manager",
            "Unable to update slurm reservation pcluster-a for Capacity Block cr-1. Skipping it. b",
            "Slurm cannot be asked",
        ),
        (
            "capacity_block_manager",
            "Unable to retrieve Capacity Blocks information from EC2. b",
            "EC2 cannot be asked",
        ),
    ],
)
def test_words_of_a_module_that_are_of_another_part(module: str, message: str, words: str) -> None:
    assert words in (error(line(module, message)) or "")


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Failed TerminateInstances request: 1d2", "permission"),
        ("Failed when terminating instances (x1) ['i-1'] with error Broken pipe", "permission"),
        # The answer has words of other parts.
        ("Failed when terminating instances a with error launching instances", "be started"),
    ],
)
def test_failure_to_terminate_has_no_cause_without_evidence(message: str, words: str) -> None:
    said = error(line("instance_manager", message)) or ""
    assert "cannot be terminated" in said
    assert words not in said


def test_words_of_a_command_do_not_decide() -> None:
    said = error(line("clustermgtd", "Command '/home/a --terminating instances' failed")) or ""
    assert "a command on the head node" in said


def test_answer_to_a_failure_to_terminate_is_its_cause() -> None:
    message = (
        "Failed when terminating instances (x1) ['i-1'] with error An error occurred "
        "(UnauthorizedOperation) when calling the TerminateInstances operation: no"
    )
    assert "access is denied" in (error(line("instance_manager", message)) or "")


@pytest.mark.parametrize(
    ("module", "message"),
    [
        ("fleet_manager", "odd"),
        ("capacity_block_manager", "odd"),
        ("cluster_event_publisher", "Failed to publish event `nodeLaunchFailure`: a"),
        ("task_executor", "Unable to queue task due to exceeding backlog limit of 3"),
        ("console_logger", "Encountered exception while retrieving compute console output: a"),
    ],
)
def test_module_or_event_alone_has_no_cause(module: str, message: str) -> None:
    assert error(line(module, message)) is None


def test_last_error_of_a_daemon_is_the_cause() -> None:
    (found,) = findings(*of_log(line("common", "Clustermgtd has been offline since 3.")))
    assert found.cause.startswith("ParallelCluster: clustermgtd does not run")
