"""CW-J001: The file is a batch script that sbatch accepts."""

from __future__ import annotations

import pytest

from tests.jobs.made import fails, passes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        (" \n\n", "is empty"),
        ("#SBATCH --nodes=1\nhostname\n", "interpreter"),
        ("#!/bin/bash\r\nhostname\r\n", "DOS"),
        ("#!/bin/bash\nhostname\0\n", "line 2 contains a null"),
    ],
)
def test_what_sbatch_refuses(text: str, message: str) -> None:
    assert message in fails("CW-J001", text).message


def test_script() -> None:
    passes("CW-J001", "#!/bin/bash -l\nhostname\n")
