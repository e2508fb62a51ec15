"""CW-J018: The nodes have the memory that the job requests."""

from __future__ import annotations

import pytest

from tests.jobs.made import fails, passes


@pytest.mark.parametrize("line", ["--mem=3T", "--mem-per-cpu=32G -c 96", "--mem=40G -p cpu"])
def test_more_than_the_node_has(line: str) -> None:
    assert fails("CW-J018", f"#!/bin/bash\n#SBATCH {line}\n").limit is not None


@pytest.mark.parametrize("line", ["--mem=0", "--mem=1800G", "--mem-per-cpu=8G -c 96", "-N1"])
def test_what_the_node_has(line: str) -> None:
    passes("CW-J018", f"#!/bin/bash\n#SBATCH {line}\n")


def test_components_of_a_heterogeneous_job_have_their_own_memory() -> None:
    passes("CW-J018", "#!/bin/bash\n#SBATCH --mem=64G\n#SBATCH hetjob\n#SBATCH --mem-per-cpu=1G\n")


@pytest.mark.parametrize("second", ["--mem-per-cpu=1G", "--mem-per-gpu=64G"])
def test_two_ways_to_request_memory_exclude_each_other(second: str) -> None:
    found = fails("CW-J018", f"#!/bin/bash\n#SBATCH --mem=64G\n#SBATCH {second}\n")
    assert "mutually exclusive" in found.message
