"""CW-J010: The partition exists."""

from __future__ import annotations

import pytest

from tests.jobs.made import fails, passes


def test_unknown_partition() -> None:
    found = fails("CW-J010", "#!/bin/bash\n#SBATCH -p gpus\n")
    assert found.hint == "did you mean `gpu`?"
    assert "it has gpu, trn, cpu" in (fails("CW-J010", "#!/bin/bash\n#SBATCH -p dev\n").hint or "")


@pytest.mark.parametrize("line", ["-p gpu", "--partition=trn,cpu", "-N1"])
def test_partitions(line: str) -> None:
    passes("CW-J010", f"#!/bin/bash\n#SBATCH {line}\n")
