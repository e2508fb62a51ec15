"""CW-J055: Steps that wait for each other run at the same time."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    "text",
    [
        "srun -w node-1 accelerate launch --config_file r0.yaml t.py\n"
        "srun -w node-2 accelerate launch --config_file r1.yaml t.py",
        "srun -r0 -N2 torchrun --nnodes=4 --node_rank=0 t.py\n"
        "srun -r2 -N2 torchrun --nnodes=4 --node_rank=1 t.py &\nwait",
        "(srun -w node-1 torchrun --nnodes=2 t.py\nsrun -w node-2 torchrun --nnodes=2 t.py) &",
    ],
)
def test_the_first_step_waits_for_the_second(text: str) -> None:
    found = fails("CW-J055", HEAD + text + "\n")
    assert "when the step of line 4 has ended" in found.message


@pytest.mark.parametrize(
    "text",
    [
        "srun -w node-1 accelerate launch --config_file r0.yaml t.py &\n"
        "srun -w node-2 accelerate launch --config_file r1.yaml t.py &\nwait",
        "(srun -w node-1 torchrun --nnodes=4 t.py) &\n(srun -w node-2 torchrun --nnodes=4 t.py) &",
        "launch() { srun -w $1 torchrun --nnodes=2 t.py & }\nlaunch a\nlaunch b\nwait",
        "srun -w a torchrun --nnodes=2 t.py | tee 0 &\nsrun -w b torchrun --nnodes=2 t.py &",
        # Two trainings, one after the other.
        "srun torchrun --nnodes=4 t.py\nsrun torchrun --nnodes=4 t.py",
        "srun -w node-1 torchrun --nnodes=1 t.py\nsrun -w node-2 torchrun --nnodes=1 t.py",
        "srun -w node-1 torchrun --nnodes=2 t.py\nsrun -w node-1 torchrun --nnodes=2 t.py",
        "srun -w node-1 torchrun --nnodes=2 t.py\nsrun -w node-2 torchrun --nnodes=2 eval.py",
        "if a; then srun -w n1 torchrun --nnodes=2 t.py; else "
        "srun -w n2 torchrun --nnodes=2 t.py; fi",
        "srun -w node-1 torchrun --nnodes=2 t.py\nsrun hostname\n"
        "srun -w node-2 torchrun --nnodes=2 t.py",
    ],
)
def test_other_steps(text: str) -> None:
    passes("CW-J055", HEAD + text + "\n")


def test_ray() -> None:
    fails("CW-J055", HEAD + "srun -N1 -n1 ray start --head --block\nsrun -N1 -n1 python a.py\n")
    fails("CW-J055", HEAD + "srun bash -c 'cd /opt; ray start --head --block'\nsrun python a.py\n")


@pytest.mark.parametrize(
    "text",
    [
        "srun -N1 -n1 ray start --head --block &\nsrun -N1 -n1 python a.py",
        "srun -N1 bash -c 'ray start --head && train.py --block'\nsrun x",
        "srun -N1 bash -c 'ray start --head --block & sleep 9; python a.py'\nsrun x",
        "if a; then srun ray start --head --block; else srun ray start --address=b --block; fi",
    ],
)
def test_ray_that_ends(text: str) -> None:
    passes("CW-J055", HEAD + text + "\n")
