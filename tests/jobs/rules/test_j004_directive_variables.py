"""CW-J004: Options in #SBATCH lines contain no variables."""

from __future__ import annotations

import pytest

from tests.jobs.made import fails, passes


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        ("--nodes=$N", "error"),
        ("--partition=${P}", "error"),
        ("--output=$HOME/x", "warning"),
        ("--output=~/logs/%j.out", "warning"),
        ("--error=~ada/x", "warning"),
    ],
)
def test_variables(line: str, severity: str) -> None:
    assert fails("CW-J004", f"#!/bin/bash\n#SBATCH {line}\n").severity == severity


def test_patterns_and_templates() -> None:
    passes("CW-J004", "#!/bin/bash\n#SBATCH -o logs/%x-%j.out\n#SBATCH -N {{ nodes }}\n")
