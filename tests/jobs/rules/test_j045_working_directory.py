"""CW-J045: The working directory and the log are on a file system that every node has."""

from __future__ import annotations

import pytest

from tests.jobs.made import fails, passes


@pytest.mark.parametrize(
    "line", ["--chdir=/scratch/me", "-D /root/job", "-o /tmp/%j.out", "--error=/data/x.err"]
)
def test_local(line: str) -> None:
    fails("CW-J045", f"#!/bin/bash\n#SBATCH {line}\n")


def test_folder_that_the_script_creates() -> None:
    found = fails("CW-J045", "#!/bin/bash\n#SBATCH -o logs/%j.out\nmkdir -p logs\nsrun a\n")
    assert found.position is not None
    assert found.position.line == 3


@pytest.mark.parametrize(
    "line", ["--chdir=/fsx/me", "-D /home/me", "-o logs/%j.out", "-o /dev/null", "-o /fsx/l/%j"]
)
def test_shared(line: str) -> None:
    passes("CW-J045", f"#!/bin/bash\n#SBATCH {line}\n")
