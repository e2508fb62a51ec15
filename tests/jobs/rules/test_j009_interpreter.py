"""CW-J009: Steps start Python programs with an interpreter."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    "line",
    [
        "srun train.py --fsdp full_shard",
        "srun --ntasks-per-node=8 my-train.py",
        "chmod +x bin/worker.py\nsrun train.py",
        "chmod +x bin/*.sh\nsrun train.py",
    ],
)
def test_a_program_without_an_interpreter(line: str) -> None:
    found = fails("CW-J009", HEAD + line + "\n")
    assert found.message.startswith("srun executes ")
    assert found.hint is not None
    assert found.hint.startswith("srun python ")


@pytest.mark.parametrize(
    "lines",
    [
        "srun python train.py",
        "srun torchrun train.py",
        "srun ./train.py",
        "srun /fsx/bin/train.py",
        "chmod +x train.py\nsrun train.py",
        "chmod 755 ./train.py\nsrun train.py",
        "export PATH=$PWD/bin:$PATH\nchmod +x bin/train.py\nsrun train.py",
        "chmod +x bin/*.py\nsrun train.py",
        "python train.py",
        "srun bash -c 'train.py'",
    ],
)
def test_other_programs(lines: str) -> None:
    passes("CW-J009", HEAD + lines + "\n")
