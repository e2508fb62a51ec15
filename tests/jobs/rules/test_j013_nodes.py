"""CW-J013: The partition has the nodes that the job requests."""

from __future__ import annotations

import pytest

from tests.jobs.made import fails, passes


def test_more_than_the_group_has_without_spares() -> None:
    found = fails("CW-J013", "#!/bin/bash\n#SBATCH --nodes=8\n")
    assert (found.requested, found.limit) == (8, 7)
    assert "1 more are spares" in found.message
    assert fails("CW-J013", "#!/bin/bash\n#SBATCH -n 64 --ntasks-per-node 8\n").requested == 8


@pytest.mark.parametrize("line", ["-N 7", "-N 1-8", "-N 4 -p trn", "-n 8"])
def test_nodes(line: str) -> None:
    passes("CW-J013", f"#!/bin/bash\n#SBATCH {line}\n")
