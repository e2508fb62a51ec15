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
        "the array goes to 5,000, and by Slurm's default (MaxArraySize 1,001) the largest index "
        "is 1,000"
    )
    assert (found.severity, found.requested, found.limit) == ("warning", 5000, 1000)


@pytest.mark.parametrize(
    ("array", "words"),
    [
        # Slurm compares the end of a range, not its last task, and the step.
        ("0-1100:200", "goes to 1,100"),
        ("0-1000:1001", "has the step 1,001"),
        ("[1-2000]", "goes to 2,000"),
        ("0-5%2,7-1001", "goes to 1,001"),
        ("0-4294967295", "goes to 4,294,967,295"),
        ("0-99999999999:1", "goes to 99,999,999,999"),
    ],
)
def test_ranges_that_slurm_refuses(array: str, words: str) -> None:
    assert words in fails("CW-J027", HEAD + f"#SBATCH --array={array}\nsrun a\n").message


@pytest.mark.parametrize("array", ["0-1000", "1,7", "0-1000:4%2", "0-1000:1000", "5-1", "$TASKS"])
def test_indices_that_slurm_accepts(array: str) -> None:
    passes("CW-J027", HEAD + f"#SBATCH --array={array}\nsrun a\n")


def test_limit_of_a_service_is_not_known() -> None:
    passes("CW-J027", LARGE, PCS)
