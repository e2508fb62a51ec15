"""CW-J030: The log of a job that is requeued is appended to."""

from __future__ import annotations

import pytest

from tests.jobs.made import fails, passes


@pytest.mark.parametrize("lines", ["--requeue", "--requeue --open-mode=truncate"])
def test_truncated(lines: str) -> None:
    found = fails("CW-J030", f"#!/bin/bash\n#SBATCH {lines}\n")
    assert "--open-mode=append" in (found.hint or "")


@pytest.mark.parametrize("lines", ["--requeue --open-mode=append", "--no-requeue", "-N1"])
def test_appended(lines: str) -> None:
    passes("CW-J030", f"#!/bin/bash\n#SBATCH {lines}\n")
