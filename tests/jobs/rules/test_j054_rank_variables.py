"""CW-J054: Each task reads its own rank."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        ("srun accelerate launch --num_machines 4 --machine_rank $SLURM_NODEID t.py", "error"),
        ("srun torchrun --nnodes=4 --node_rank=${SLURM_NODEID} --master_addr=$HEAD t.py", "error"),
        ("R=$SLURM_PROCID\nsrun torchrun --nnodes=4 --node_rank $R t.py", "error"),
        ("srun torchrun --nnodes=4 --node_rank 0 --master_addr=$HEAD t.py", "error"),
        ("srun bash -c 'accelerate launch --num_machines 4 --machine_rank 0 t.py'", "error"),
        ("srun python train.py --rank $SLURM_PROCID", "warning"),
        ('srun bash -c "python train.py --local_rank $SLURM_LOCALID"', "warning"),
        ("export RANK=$SLURM_PROCID\nsrun python train.py", "warning"),
    ],
)
def test_the_batch_script_replaces_it(text: str, severity: str) -> None:
    found = fails("CW-J054", HEAD + text + "\n")
    assert found.severity == severity
    assert "0" in found.message


@pytest.mark.parametrize(
    "text",
    [
        "srun bash -c 'torchrun --nnodes=4 --node_rank ${SLURM_NODEID} t.py'",
        'srun bash -c "torchrun --nnodes=4 --port $PORT --node_rank \\$SLURM_NODEID t.py"',
        'srun bash -c "torchrun --nnodes=4 --port $PORT --node_rank \\${SLURM_NODEID} t.py"',
        "srun torchrun --nnodes=4 --rdzv_backend=c10d --node_rank $SLURM_NODEID t.py",
        "srun torchrun --nnodes=4 --rdzv_backend=c10d --node_rank 0 t.py",
        "srun -N1 -n1 -w $head torchrun --nnodes=4 --node_rank 0 t.py &\nwait",
        "srun -N1 -n1 python prepare.py --rank $SLURM_PROCID",
        "export RANK=$SLURM_PROCID\nsrun torchrun --nnodes=4 t.py",
        "export RANK=$SLURM_PROCID\nsrun bash -c 'RANK=$SLURM_PROCID python t.py'",
        'if [ -n "$A" ]; then export RANK=$SLURM_PROCID; fi\nsrun python t.py',
        'echo "task $SLURM_PROCID"\nsrun python t.py',
        "srun torchrun --nnodes=1 --node-rank=0 --nproc-per-node=8 a.py",
        "srun torchrun --standalone --nnodes=1 --node-rank=0 a.py",
        "srun bash -c 'if [ $SLURM_NODEID = 0 ]; then torchrun --nnodes=4 --node-rank=0 a.py; "
        "else torchrun --nnodes=4 --node-rank=$SLURM_NODEID a.py; fi'",
    ],
)
def test_each_task_replaces_it(text: str) -> None:
    passes("CW-J054", HEAD + text + "\n")


def test_a_local_rank_for_all_processes() -> None:
    text = (
        "#!/bin/bash\n#SBATCH -p gpu -N 1 --exclusive\n"
        "srun torchrun --standalone --nproc-per-node {} train.py {}\n"
    )
    found = fails("CW-J054", text.format(2, "--local_rank 0"))
    assert found.message.startswith("--local_rank 0 of the program is the same in all 2 processes")
    passes("CW-J054", text.format(1, "--local_rank 0"))
    passes("CW-J054", text.format(2, "--local_rank $LOCAL_RANK"))
