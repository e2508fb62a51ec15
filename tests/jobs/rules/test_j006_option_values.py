"""CW-J006: Values of options have a form that Slurm accepts."""

from __future__ import annotations

import pytest

from tests.jobs.made import fails, passes


@pytest.mark.parametrize(
    "line",
    [
        "-t 1:xx",
        "--time=2:00:00:00",
        "-N 4-2",
        "--mem=12Q",
        "--signal=USR7@60",
        "-n four",
        "--open-mode=keep",
        "--mail-type=ENDS",
        "--dependency=after",
        "--dependency=afterokay:12",
        "--array=1..10",
        "--array=5-1",
        "--array=1-10:0",
    ],
)
def test_values_that_sbatch_refuses(line: str) -> None:
    found = fails("CW-J006", f"#!/bin/bash\n#SBATCH {line}\n")
    assert found.severity == "error"
    assert found.hint is not None


@pytest.mark.parametrize(
    "line",
    [
        "-t 90",
        "-t 1:30:00",
        "--time=2-0",
        "-t UNLIMITED",
        "-N 2-4",
        "-N 2,4",
        "--mem=0",
        "--mem=64G",
        "--signal=B:USR1@300",
        "--signal=SIGTERM",
        "--signal=10@60",
        "--open-mode=append",
        "--mail-type=end,fail",
        "--dependency=afterok:12:13_4,singleton",
        "--dependency=after:12+30?afternotok:14",
        "-d 123",
        "--array=0-15%4",
        "--array=1,3,8-20:2",
        "--array=0-5%2,7-9",
        "--array=[1-10]",
    ],
)
def test_values(line: str) -> None:
    passes("CW-J006", f"#!/bin/bash\n#SBATCH {line}\n")


@pytest.mark.parametrize("name", ["ntasks", "ntasks-per-gpu", "cpus-per-gpu", "cpus-per-task"])
def test_zero_is_no_number_of_tasks_or_cpus(name: str) -> None:
    found = fails("CW-J006", f"#!/bin/bash\n#SBATCH --{name}=0\nsrun hostname\n")
    assert found.hint == "it is a number from 1 on"


def test_an_empty_list_of_resources_is_refused() -> None:
    found = fails("CW-J006", "#!/bin/bash\n#SBATCH --gres=\nsrun hostname\n")
    assert found.message == "--gres: Slurm does not accept ''"
    passes("CW-J006", "#!/bin/bash\n#SBATCH --gres=gpu:8\nsrun hostname\n")
