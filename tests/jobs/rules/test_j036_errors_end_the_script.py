"""CW-J036: A step that fails ends a script of several steps."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


def test_goes_on() -> None:
    found = fails("CW-J036", HEAD + "srun python a.py\nsrun python b.py\n")
    assert "line 5" in found.message


def test_goes_on_in_the_background() -> None:
    fails("CW-J036", HEAD + "main() {\nsrun a.py\nsrun b.py\n}\nmain &\nwait\n")


@pytest.mark.parametrize(
    "text",
    [
        "set -e\nsrun python a.py\nsrun python b.py",
        "set -euxo pipefail\nsrun a.py\nsrun b.py",
        "set -o errexit\nsrun a.py\nsrun b.py",
        "srun python a.py && srun python b.py",
        "srun a.py\nrc=$?\nsrun b.py",
        "srun hostname\nsrun python b.py",
        "mpirun -N 1 bash -c 'A=$(cat /x | tr a b)\necho $A'\nsrun python b.py",
        "srun python a.py",
        "srun a.py &\nsrun b.py &\nwait",
        "(srun a.py) &\n(srun b.py) &\nwait",
    ],
)
def test_ends(text: str) -> None:
    passes("CW-J036", HEAD + text + "\n")


def test_shebang() -> None:
    passes("CW-J036", "#!/bin/bash -e\nsrun a.py\nsrun b.py\n")
