"""CW-J035: Training jobs with a time limit are warned before it."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes

TRAIN = "srun torchrun train.py\n"


def test_no_signal() -> None:
    assert "--signal" in (fails("CW-J035", HEAD + "#SBATCH -t 1-0\n" + TRAIN).hint or "")


def test_signal_to_a_shell_without_a_trap() -> None:
    fails("CW-J035", HEAD + "#SBATCH -t 1-0 --signal=B:USR1@300\n" + TRAIN)


@pytest.mark.parametrize(
    "text",
    [
        "#SBATCH -t 1-0 --signal=USR1@300\n" + TRAIN,
        "#SBATCH -t 30\n" + TRAIN,
        TRAIN,
        "#SBATCH --signal=B:USR1@300\ntrap 'kill -USR1 $pid' USR1\n" + TRAIN,
    ],
)
def test_signalled_or_short(text: str) -> None:
    passes("CW-J035", HEAD + text)
