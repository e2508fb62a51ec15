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
        "srun -r1 -N1 monitor &\nsrun python train.py",
        "srun --het-group=1 monitor &\nsrun --het-group=1 python train.py",
        "start() { srun monitor & }\nstart\nsrun python train.py",
        "O=''; if a; then O=--label; fi\nsrun monitor &\nsrun $O python train.py",
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
        "export SLURM_OVERLAP=1\nsrun a &\nsrun b",
        "export SRUN_CPUS_PER_TASK=4\nsrun -n1 a &\nsrun b",
        "srun --het-group=0 a &\nsrun --het-group=1 b &\nwait",
        "srun -w n1 a &\nsrun --exclude=n1 b &\nwait",
        "srun --jobid=12 a &\nsrun b\nwait",
        "w() { wait; }\nsrun a &\nw\nsrun b",
        "srun a &\ntail --pid=$! -f /dev/null\nsrun b",
        "set -m\nsrun a &\nfg\nsrun b",
        "srun a &\nscancel --name a\nsrun b",
        "if c; then O='--overlap'; fi\nsrun $O a &\nsrun $O b\nwait",
        "srun $O a &\nsrun b",
        "(srun a; srun b) &\nwait",
    ],
)
def test_shared_or_one_after_the_other(text: str) -> None:
    passes("CW-J057", HEAD + text + "\n")
