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
        ("srun torchrun --nnodes=1 --rdzv-endpoint=$HEAD:29500 train.py", "error"),
        ("srun -n2 --ntasks-per-node=1 torchrun --nnodes=4 train.py", "error"),
        (
            "O=''; if a; then O=--container-image=b; fi\nsrun $O torchrun --nnodes=2 train.py",
            "error",
        ),
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
        # Each launcher trains by itself.
        "srun torchrun --nnodes=1 --node-rank=0 --nproc-per-node=8 a.py",
        "srun torchrun --nnodes=1 --rdzv-backend=c10d --rdzv-endpoint=localhost:0 a.py",
        "srun torchrun --standalone --nproc-per-node=8 a.py",
        # The step's size is not known.
        "srun $OPTIONS torchrun --nnodes=2 train.py",
        "srun $OPTIONS --ntasks-per-node=1 torchrun --nnodes=2 train.py",
        'if a; then O+=(-N2); fi\nsrun "${O[@]}" torchrun --nnodes=2 train.py',
        "srun --exclude=a torchrun --nnodes=3 train.py",
        "srun bash -c 'if [ $SLURM_NODEID = 0 ]; then torchrun --nnodes=1 a.py; fi'",
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
        "srun -n1 python export.py trainer.num_nodes=4",
        "srun -N2 python pretrain.py trainer.num_nodes=4",
        "srun bash -c 'cd /opt && python x.py trainer.num_nodes=1'",
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
        "srun -n1 python export.py trainer.num_nodes=1",
        "srun -n8 python pretrain.py trainer.num_nodes=2",
        "srun -N 2-2 python pretrain.py trainer.num_nodes=2",
        "srun -w a,b python pretrain.py trainer.num_nodes=2",
        "srun --ntasks=2 --ntasks-per-node=1 python export.py trainer.num_nodes=2",
        "if a; then O='--nodes=2'; else O=''; fi\nsrun ${O} python a.py trainer.num_nodes=2",
        "srun bash -c 'if [ $SLURM_PROCID = 0 ]; then python x.py trainer.num_nodes=1; fi'",
        "srun bash -c '[ $SLURM_PROCID = 0 ] && python x.py trainer.num_nodes=1'",
    ],
)
def test_settings_name_the_nodes(text: str) -> None:
    passes("CW-J051", HEAD + text + "\n")


def test_deepspeed_on_every_node() -> None:
    run = "srun deepspeed {} train.py\n"
    assert "each one trains by itself" in fails("CW-J051", HEAD + run.format("")).message
    found = fails("CW-J051", HEAD + run.format("--hostfile /fsx/hosts"))
    assert "each one starts the processes of all nodes" in found.message
    passes("CW-J051", HEAD + run.format("--no_ssh --node_rank $SLURM_NODEID"))
    passes("CW-J051", HEAD + "deepspeed --hostfile /fsx/hosts train.py\n")


@pytest.mark.parametrize(
    "run",
    [
        "srun bash -c '[ $SLURM_NODEID = 0 ] || exit 0; deepspeed --hostfile=/fsx/h train.py'",
        "srun deepspeed --num_gpus=8 eval.py --shard=$SLURM_NODEID",
        "srun bash -c 'torchrun --nnodes=1 --rdzv-endpoint=$(hostname):0 sweep.py'",
    ],
)
def test_launchers_that_wait_for_no_other(run: str) -> None:
    passes("CW-J051", HEAD + run + "\n")
