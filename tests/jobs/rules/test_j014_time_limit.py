"""CW-J014: The time limit is within that of the partition and of the QOS."""

from __future__ import annotations

import pytest

from tests.jobs.made import fails, passes


@pytest.mark.parametrize(
    ("line", "limit"),
    [("-t 7-00:01:00", 10080), ("-t UNLIMITED", 10080), ("-t 2:00:00 -q urgent", 60)],
)
def test_over_the_limit(line: str, limit: int) -> None:
    assert fails("CW-J014", f"#!/bin/bash\n#SBATCH {line}\n").limit == limit


@pytest.mark.parametrize("line", ["-t 7-0", "-t 30-0 -p trn", "-t 1:00:00 -q urgent", "-N1"])
def test_within(line: str) -> None:
    passes("CW-J014", f"#!/bin/bash\n#SBATCH {line}\n")
