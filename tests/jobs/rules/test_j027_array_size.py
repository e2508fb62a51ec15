"""CW-J027: Indices of a job array are smaller than MaxArraySize."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, SPEC, fails, passes

PCS = {
    **SPEC,
    "platform": "pcs",
    "compute": [
        {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1},
        *({k: v for k, v in group.items() if k != "spare_count"} for group in SPEC["compute"][1:]),
    ],
    "slurm": {"accounting": {"kind": "none"}},
}
LARGE = HEAD + "#SBATCH --array=0-5000%10\nsrun a\n"


def test_message() -> None:
    found = fails("CW-J027", LARGE)
    assert found.message == (
        "the array has the index 5,000, and by Slurm's default (MaxArraySize 1,001) the largest "
        "is 1,000"
    )
    assert (found.severity, found.requested, found.limit) == ("warning", 5000, 1000)


@pytest.mark.parametrize("array", ["0-1000", "1,7", "0-1000:4%2", "$TASKS"])
def test_indices_that_slurm_accepts(array: str) -> None:
    passes("CW-J027", HEAD + f"#SBATCH --array={array}\nsrun a\n")


def test_limit_of_a_service_is_not_known() -> None:
    passes("CW-J027", LARGE, PCS)
