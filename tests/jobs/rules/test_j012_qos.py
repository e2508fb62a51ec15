"""CW-J012: The quality of service exists."""

from __future__ import annotations

import pytest

from tests.jobs.made import fails, passes


def test_unknown_qos() -> None:
    found = fails("CW-J012", "#!/bin/bash\n#SBATCH --qos=urgnt\n")
    assert (found.severity, found.hint) == ("error", "did you mean `urgent`?")


@pytest.mark.parametrize("name", ["urgent", "normal"])
def test_qos(name: str) -> None:
    passes("CW-J012", f"#!/bin/bash\n#SBATCH -q {name}\n")
