"""CW-J068: Paths begin with a file system that the nodes mount."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    "text",
    [
        "srun torchrun /fxs/train.py",
        "srun torchrun train.py --data=/fsz/data",
        "export DATA=/fsxx/data\nsrun torchrun train.py",
        "cd /scrath/a\nsrun torchrun train.py",
    ],
)
def test_one_letter_is_wrong(text: str) -> None:
    found = fails("CW-J068", HEAD + text + "\n")
    assert "did you mean `/" in (found.hint or "")


@pytest.mark.parametrize(
    "text",
    [
        "srun torchrun /fsx/train.py --data=/data/a",
        "srun torchrun /fsx2/train.py",
        "srun torchrun train.py --data s3://fxs/data",
        "srun --container-image=/fsx/a.sqsh torchrun /fxs/train.py",
        "srun torchrun /opt/train.py",
    ],
)
def test_other_paths(text: str) -> None:
    passes("CW-J068", HEAD + text + "\n")


def test_paths_of_other_machines() -> None:
    passes("CW-J068", HEAD + "rsync login1:/fxs/code /fsx/code\nsed -e s,/fsy/,/fsx/, a\nsrun a\n")
