"""CW-J057: Steps at the same time on the same node share it."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    "text",
    [
        "srun -N1 -n1 -w $head ray start --head &\nsrun -N1 -n1 -w $head python a.py",
        "srun -N1 -n1 -w $head serve &\nsrun python client.py",
        "srun monitor &\nsrun python train.py",
    ],
)
def test_one_waits(text: str) -> None:
    finding = fails("CW-J057", HEAD + text + "\n")
    assert "--overlap" in (finding.hint or "")


@pytest.mark.parametrize(
    "text",
    [
        "srun -w $head ray start --head &\nsrun --overlap -w $head python a.py",
        "srun --overlap monitor &\nsrun python train.py",
        "srun --exact -n1 a &\nsrun --exact -n1 b &\nwait",
        "srun -N1 -w a x &\nsrun -N1 -w b x &\nwait",
        "srun -N1 a &\nsrun -N1 b &\nwait",
        "srun a &\nwait\nsrun b",
        "srun a\nsrun b",
    ],
)
def test_shared_or_one_after_the_other(text: str) -> None:
    passes("CW-J057", HEAD + text + "\n")
