"""CW-J016: The nodes have the accelerators that the job requests."""

from __future__ import annotations

import pytest

from tests.jobs.made import fails, passes


@pytest.mark.parametrize(
    "line",
    [
        "--gres=gpu:16",
        "--gpus-per-node=h100:9",
        "--gpus=999",
        "--gres=gpu:1 -p cpu",
        "--gpus-per-task=2 --ntasks-per-node=8",
    ],
)
def test_more_than_the_node_has(line: str) -> None:
    assert fails("CW-J016", f"#!/bin/bash\n#SBATCH {line}\n").limit is not None


@pytest.mark.parametrize(
    "line", ["--gres=gpu:8", "--gpus-per-node=8", "-N2 -G 16", "--gpus-per-task=1 -n 8", "-N1"]
)
def test_what_the_node_has(line: str) -> None:
    passes("CW-J016", f"#!/bin/bash\n#SBATCH {line}\n")
