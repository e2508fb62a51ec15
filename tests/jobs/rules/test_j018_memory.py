"""CW-J018: The nodes have the memory that the job requests."""

from __future__ import annotations

import pytest

from tests.jobs.made import SPEC, fails, passes

PCS = {
    **SPEC,
    "platform": "pcs",
    "compute": [
        {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1},
        *({k: v for k, v in group.items() if k != "spare_count"} for group in SPEC["compute"][1:]),
    ],
    "slurm": {"accounting": {"kind": "none"}},
}
SHARED = "#!/bin/bash\n#SBATCH --mem=40G --gres=gpu:1\n"


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


def test_memory_that_slurm_does_not_count() -> None:
    found = fails("CW-J018", SHARED, PCS)
    assert (found.severity, found.path) == ("warning", "--mem")
    assert "--mem reserves nothing" in found.message
    passes("CW-J018", SHARED)
    passes("CW-J018", SHARED + "#SBATCH --exclusive\n", PCS)
    passes("CW-J018", "#!/bin/bash\n#SBATCH --gres=gpu:1\n", PCS)
    counted = {**PCS, "pcs": {"slurm_settings": {"SelectTypeParameters": "CR_CPU_Memory"}}}
    passes("CW-J018", SHARED, counted)
