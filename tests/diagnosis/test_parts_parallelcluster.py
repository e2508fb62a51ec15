"""Messages of ParallelCluster's daemons by their part."""

from __future__ import annotations

import pytest

from clusterwright.diagnosis.parts_parallelcluster import PARTS, error
from tests.diagnosis.made import findings, of_log

CASES = (
    ("resume", "No valid clustermgtd heartbeat detected", "clustermgtd does not run"),
    ("clustermgtd", "Unable to get instances info from EC2", "EC2 cannot be asked"),
    ("capacity_block_manager", "Unable to find it", "a Capacity Block or reservation"),
    ("clustermgtd", "Unable to get partition/node info from slurm", "Slurm cannot be asked"),
    ("fleet_manager", "Failed CreateFleet request (1d2): Unauthorized - no", "access is denied"),
    ("instance_manager", "Encountered error when updating nodes a", "name or address"),
    ("instance_manager", "Failed when terminating instances a", "cannot be terminated"),
    ("resume", "Cannot read its configuration file: /a", "a configuration file"),
    ("task_executor", "Command 'a' timed out after 60 seconds", "a command on the head node"),
)


def line(module: str, message: str, level: str = "ERROR") -> str:
    return f"2026-11-29 10:00:00,123 - 12 - [slurm_plugin.{module}:main] - {level} - {message}"


@pytest.mark.parametrize(("module", "message", "words"), CASES)
def test_message_is_of_its_part(module: str, message: str, words: str) -> None:
    assert words in (error(line(module, message)) or "")


def test_every_part_has_a_message_here_and_others_have_none() -> None:
    assert len(CASES) == len(PARTS)
    assert error(line("clustermgtd", "frob")) is None
    assert error(line("resume", "No valid clustermgtd heartbeat", "WARNING")) is None


def test_last_error_of_a_daemon_is_the_cause() -> None:
    (found,) = findings(*of_log(line("resume", "No valid clustermgtd heartbeat detected")))
    assert found.cause.startswith("ParallelCluster: clustermgtd does not run")
