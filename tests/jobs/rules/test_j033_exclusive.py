"""CW-J033: Jobs that use whole nodes have them to themselves."""

from __future__ import annotations

import pytest

from tests.jobs.made import fails, passes


@pytest.mark.parametrize("lines", ["--gres=gpu:8", "-N 2", "--gpus-per-node=8 -N4"])
def test_shared(lines: str) -> None:
    assert "--exclusive" in (fails("CW-J033", f"#!/bin/bash\n#SBATCH {lines}\n").hint or "")


@pytest.mark.parametrize(
    "lines",
    ["--gres=gpu:8 --exclusive", "--gres=gpu:1", "-N4 -p cpu", "-N2 --mem=0", "-N2 --gres=gpu:4"],
)
def test_alone_or_a_part(lines: str) -> None:
    passes("CW-J033", f"#!/bin/bash\n#SBATCH {lines}\n")
