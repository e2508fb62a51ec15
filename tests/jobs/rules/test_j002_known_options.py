"""CW-J002: Options in #SBATCH lines are options of sbatch."""

from __future__ import annotations

import pytest

from tests.jobs.made import fails, passes


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        ("--parttion=gpu", "no option --parttion", "did you mean `--partition`?"),
        ("--kill-on-bad-exit=1", "no option --kill-on-bad-exit", "option of srun"),
        ("--time=1 and more", "`and` is not an option", "quotes"),
        ("--partition", "--partition requires a value", None),
        ("--requeue=1", "--requeue takes no value", None),
        ("--ntasks-per=8", "is short for several options", None),
        ("-t1 -Y", "no option -Y", None),
    ],
)
def test_what_sbatch_refuses(line: str, message: str, hint: str | None) -> None:
    found = fails("CW-J002", f"#!/bin/bash\n#SBATCH {line}\nhostname\n")
    assert message in found.message
    assert (hint or "") in (found.hint or "")
    assert found.position is not None
    assert found.position.line == 2


@pytest.mark.parametrize(
    "line",
    [
        "--time=1 # an hour?",
        "-N4 -t 2:00:00 --part gpu",
        '-J "a name" --exclusive',
        "--container-image=/fsx/a.sqsh",
        "--nice --propagate",
    ],
)
def test_every_form(line: str) -> None:
    passes("CW-J002", f"#!/bin/bash\n#SBATCH {line}\nhostname\n")
