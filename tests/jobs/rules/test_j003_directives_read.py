"""CW-J003: Every #SBATCH line is read by Slurm."""

from __future__ import annotations

import pytest

from tests.jobs.made import fails, passes


@pytest.mark.parametrize(
    ("text", "line", "severity"),
    [
        ("#!/bin/bash\nset -e\n#SBATCH --time=1\n", 3, "warning"),
        ("#!/bin/bash\n  #SBATCH --time=1\n", 2, "warning"),
        ("#!/bin/bash\n#sbatch --time=1\n", 2, "warning"),
        ("#!/bin/bash\n# SBATCH --time=1\n", 2, "info"),
    ],
)
def test_lines_that_slurm_ignores(text: str, line: int, severity: str) -> None:
    found = fails("CW-J003", text)
    assert found.position is not None
    assert (found.position.line, found.severity) == (line, severity)


def test_lines_of_a_here_document_are_text() -> None:
    text = "#!/bin/bash\nsbatch <<EOF\n#!/bin/bash\n#SBATCH --nodes=2\nEOF\n"
    passes("CW-J003", text)
    assert fails("CW-J003", f"{text}#SBATCH --time=1\n").position.line == 6  # type: ignore[union-attr]


def test_lines_that_are_read_or_off_on_purpose() -> None:
    passes("CW-J003", "#!/bin/bash\n\n# text about SBATCH\n#SBATCH -t1\n##SBATCH -N2\nls\n")
