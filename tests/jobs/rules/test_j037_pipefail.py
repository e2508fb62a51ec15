"""CW-J037: The exit status of a step in a pipe counts."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


def test_hidden() -> None:
    fails("CW-J037", HEAD + "srun python a.py 2>&1 | tee log.txt\n")


@pytest.mark.parametrize(
    "text",
    [
        "set -o pipefail\nsrun a.py | tee log",
        "set -euo pipefail\nsrun a.py | tee log",
        "srun a.py > log 2>&1",
        "srun a.py | tee log\nexit ${PIPESTATUS[0]}",
    ],
)
def test_counts(text: str) -> None:
    passes("CW-J037", HEAD + text + "\n")
