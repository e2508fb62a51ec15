"""CW-J051: The launcher runs on every node that it waits for."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        ("srun torchrun --nnodes=8 train.py", "error"),
        ("srun torchrun --nnodes 2 train.py", "error"),
        ("torchrun --nnodes=$SLURM_NNODES train.py", "error"),
        ("torchrun --nproc_per_node=8 train.py", "warning"),
        ("srun bash -c 'torchrun --nnodes=2 train.py'", "error"),
        ("accelerate launch --num_machines 4 train.py", "error"),
        (
            "main() {\n  srun -N1 -w a torchrun --nnodes=2 t.py\n"
            "  srun -N1 -w b torchrun --nnodes=2 t.py\n}\nmain &\nwait",
            "error",
        ),
    ],
)
def test_other_nodes(text: str, severity: str) -> None:
    assert fails("CW-J051", HEAD + text + "\n").severity == severity


@pytest.mark.parametrize(
    "text",
    [
        "srun torchrun --nnodes=$SLURM_JOB_NUM_NODES train.py",
        "srun torchrun --nnodes=4 train.py",
        "srun torchrun --nnodes=1:4 train.py",
        "srun -N1 -n1 torchrun --nnodes=1 train.py",
        "for n in $NODES; do srun -N1 -w $n torchrun --nnodes=4 train.py & done\nwait",
        "launch() { srun -N1 -w $1 torchrun --nnodes=2 t.py & }\nlaunch a; launch b; wait",
        "launch() { (srun -N1 -w $1 torchrun --nnodes=2 t.py) & }\nlaunch a; launch b; wait",
        "launch() { srun -N1 -w $1 torchrun --nnodes=2 t.py; }\nlaunch a & launch b & wait",
        "srun -N1 -r0 torchrun --nnodes=2 t.py | tee 0 &\n"
        "srun -N1 -r1 torchrun --nnodes=2 t.py | tee 1 &\nwait",
        "for n in $NODES; do ssh $n torchrun --nnodes=4 train.py & done",
    ],
)
def test_every_node(text: str) -> None:
    passes("CW-J051", HEAD + text + "\n")


def test_one_node() -> None:
    passes("CW-J051", "#!/bin/bash\ntorchrun --standalone --nproc_per_node=8 train.py\n")


@pytest.mark.parametrize(
    "text",
    [
        "srun python pretrain.py trainer.num_nodes=2",
        "srun bash -c 'cd /opt; A=1 python pretrain.py ++trainer.num_nodes=8'",
        "srun --overlap -N1 -n1 python -m verl.trainer.main_ppo trainer.nnodes=5",
    ],
)
def test_settings_name_other_nodes(text: str) -> None:
    assert fails("CW-J051", HEAD + text + "\n").severity == "error"


@pytest.mark.parametrize(
    "text",
    [
        "srun python pretrain.py trainer.num_nodes=4",
        "srun python pretrain.py trainer.num_nodes=$SLURM_NNODES",
        "srun -N2 python pretrain.py trainer.num_nodes=2",
        "srun -N1 -n1 python -m verl.trainer.main_ppo trainer.nnodes=2",
        "python pretrain.py trainer.num_nodes=2",
    ],
)
def test_settings_name_the_nodes(text: str) -> None:
    passes("CW-J051", HEAD + text + "\n")
