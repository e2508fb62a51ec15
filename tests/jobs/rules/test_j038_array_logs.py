"""CW-J038: Each task of an array has its own log."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize("log", ["--output=/fsx/%x.out", "--output=%A.out", "-e %x-%N.err"])
def test_one_log(log: str) -> None:
    fails("CW-J038", HEAD + f"#SBATCH --array=0-7%2\n#SBATCH {log}\nsrun a\n")


@pytest.mark.parametrize(
    "options",
    [
        "--array=0-7 --output=%A_%a.out",
        "--array=0-7 --output=%j.out",
        "--array=0-7 --output=%A_%4a.out",
        "--array=0-7 --output=/dev/null",
        "--array=0-7",
        "--array=3 --output=%x.out",
        "--array=0-0 --output=%x.out",
        "--array=3,3 --output=%x.out",
        "--array=1-1%1 --output=%x.out",
        "--array=1-10:20 --output=%x.out",
        "--output=%x.out",
    ],
)
def test_logs_of_their_own(options: str) -> None:
    passes("CW-J038", HEAD + f"#SBATCH {options}\nsrun a\n")


@pytest.mark.parametrize("array", ["0-9%1", "1-10:9", "3,4", "$TASKS"])
def test_several_tasks(array: str) -> None:
    fails("CW-J038", HEAD + f"#SBATCH --array={array} --output=%x.out\nsrun a\n")
