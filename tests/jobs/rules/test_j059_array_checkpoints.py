"""CW-J059: Each task of an array has its own checkpoints."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes

ARRAY = HEAD + "#SBATCH --array=0-3\n"


def test_message() -> None:
    found = fails("CW-J059", ARRAY + "srun torchrun train.py --output_dir /fsx/out --seed $S\n")
    assert found.message == "all tasks of the array write their checkpoints to /fsx/out"
    assert (found.severity, found.hint) == ("warning", "/fsx/out/$SLURM_ARRAY_TASK_ID")


@pytest.mark.parametrize(
    "text",
    [
        "srun torchrun pretrain_gpt.py --save=/fsx/ckpt --lr ${LR[$SLURM_ARRAY_TASK_ID]}",
        "OUT=/fsx/out\nsrun python train.py --checkpoint_dir $OUT",
        "cd /fsx/runs\nsrun python train.py --output-dir out",
        "srun bash -c 'torchrun train.py --save_dir /fsx/out'",
    ],
)
def test_one_folder(text: str) -> None:
    fails("CW-J059", ARRAY + text + "\n")


@pytest.mark.parametrize(
    "text",
    [
        "srun torchrun train.py --output_dir /fsx/out/$SLURM_ARRAY_TASK_ID",
        "OUT=/fsx/out/${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}\n"
        "srun torchrun train.py --output_dir=$OUT",
        "srun torchrun train.py --output_dir /fsx/out --run_name run-$SLURM_ARRAY_TASK_ID",
        "srun python pretrain.py exp_manager.exp_dir=/fsx/e exp_manager.name=$SLURM_ARRAY_TASK_ID",
        "srun torchrun evaluate.py --output_dir /fsx/out --task $T",
        "srun python tokenise.py --output_dir /fsx/out --shard $SLURM_ARRAY_TASK_ID",
        "srun --container-image=a --container-mounts=/fsx/$SLURM_ARRAY_TASK_ID:/out "
        "torchrun train.py --output_dir /out",
        "cd run-$SLURM_ARRAY_TASK_ID\nsrun torchrun train.py --output_dir out",
        "if true; then\n  srun torchrun train.py --output_dir /fsx/out\nfi",
    ],
)
def test_folders_of_their_own(text: str) -> None:
    passes("CW-J059", ARRAY + text + "\n")


@pytest.mark.parametrize("array", ["0-9%1", "3", "0-0", "$N"])
def test_one_task_at_a_time(array: str) -> None:
    text = f"#SBATCH --array={array}\nsrun torchrun train.py --output_dir /fsx/out\n"
    passes("CW-J059", HEAD + text)


def test_without_an_array() -> None:
    passes("CW-J059", HEAD + "srun torchrun train.py --output_dir /fsx/out\n")
