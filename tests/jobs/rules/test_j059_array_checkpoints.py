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
        "LRS=(1e-4 3e-4)\nLR=${LRS[$SLURM_ARRAY_TASK_ID]}\n"
        "srun torchrun train.py --output_dir /fsx/out --learning-rate=$LR",
        "srun torchrun --rdzv-id=$SLURM_JOB_ID --master-port=$((29500 + SLURM_ARRAY_TASK_ID)) "
        "train.py --output_dir /fsx/out",
        "export MASTER_PORT=$((29500 + SLURM_ARRAY_TASK_ID))\n"
        "srun torchrun train.py --output_dir /fsx/out",
        "export TRITON_CACHE_DIR=/scratch/$SLURM_JOB_ID\nsrun torchrun train.py --save /fsx/out",
        "NAME=$SLURM_ARRAY_TASK_ID\nsrun torchrun train.py --output_dir /fsx/out",
        "if [ -d /fsx/d ]; then\n  DATA=/fsx/d\nfi\n"
        "srun torchrun train.py --output_dir /fsx/out --data $DATA",
        "mkdir -p /fsx/out && srun torchrun train.py --output_dir /fsx/out",
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
        "srun torchrun train.py --output_dir /fsx/out --run-name exp-$SLURM_ARRAY_TASK_ID",
        "srun torchrun train.py --save /fsx/out --wandb-exp-name exp-$SLURM_ARRAY_TASK_ID",
        "srun torchrun train.py --output_dir /fsx/out --experiment-id=$SLURM_JOB_ID",
        "[ $SLURM_ARRAY_TASK_ID = 0 ] && srun torchrun train.py --output_dir /fsx/out",
        "((SLURM_ARRAY_TASK_ID == 0)) && srun torchrun train.py --output_dir /fsx/out",
        "if true; then\n  srun torchrun train.py --output_dir /fsx/out\nfi",
    ],
)
def test_folders_of_their_own(text: str) -> None:
    passes("CW-J059", ARRAY + text + "\n")


TRAIN = "srun torchrun train.py --output_dir /fsx/out"


@pytest.mark.parametrize(
    "text",
    [
        f"{TRAIN} --fold $SLURM_ARRAY_TASK_ID",
        f"{TRAIN} --seed=$SLURM_ARRAY_TASK_ID",
        f"{TRAIN} configs/$SLURM_ARRAY_TASK_ID.yaml",
        f"C=configs/$SLURM_ARRAY_TASK_ID.yaml\n{TRAIN} --config $C",
        f"MODELS=(a b c d)\n{TRAIN} --model ${{MODELS[$SLURM_ARRAY_TASK_ID]}}",
        f"FILE=$(sed -n ${{SLURM_ARRAY_TASK_ID}}p configs)\n{TRAIN} --config $FILE",
        f'read LR C <<<"${{ALL[$SLURM_ARRAY_TASK_ID]}}"\n{TRAIN} --lr $LR --config $C',
        f"printf -v N %03d $SLURM_ARRAY_TASK_ID\n{TRAIN} --config $N.yaml",
        f"case $SLURM_ARRAY_TASK_ID in\n  0) C=a ;;\n  *) C=b ;;\nesac\n{TRAIN} --config $C",
        f"((N = SLURM_ARRAY_TASK_ID % 2))\n{TRAIN} --fold $N",
        f"ARGUMENTS=(--fold $SLURM_ARRAY_TASK_ID)\n{TRAIN} ${{ARGUMENTS[@]}}",
        f"export RUN_NAME=exp-$SLURM_ARRAY_TASK_ID\n{TRAIN}",
        f"FOLD=$SLURM_ARRAY_TASK_ID {TRAIN}",
        f"N=$SLURM_ARRAY_TASK_ID\nexport N\n{TRAIN}",
        "srun --export=ALL,FOLD=$SLURM_ARRAY_TASK_ID torchrun train.py --output_dir /fsx/out",
        f"source configs/$SLURM_ARRAY_TASK_ID.sh\n{TRAIN}",
        "srun torchrun tokenize_train.py --output_dir /fsx/out/ --shard $SLURM_ARRAY_TASK_ID",
        "srun bash -c 'torchrun train.py --output_dir /fsx/out --fold $SLURM_ARRAY_TASK_ID'",
    ],
)
def test_program_has_the_number_of_the_task(text: str) -> None:
    passes("CW-J059", ARRAY + text + "\n")


@pytest.mark.parametrize("value", ["singleton", "afterok:17,singleton"])
def test_singleton(value: str) -> None:
    passes("CW-J059", ARRAY + f"#SBATCH --dependency={value}\n{TRAIN}\n")


@pytest.mark.parametrize("value", ["afterok:17", "afterok:17?singleton"])
def test_other_dependencies(value: str) -> None:
    fails("CW-J059", ARRAY + f"#SBATCH --dependency={value}\n{TRAIN}\n")


def test_long_argument() -> None:
    """The pattern of names is tried once at each character."""
    fails("CW-J059", ARRAY + f"{TRAIN} --{'a_' * 500}b=$S\n")


@pytest.mark.parametrize("array", ["0-9%1", "3", "0-0", "$N"])
def test_one_task_at_a_time(array: str) -> None:
    text = f"#SBATCH --array={array}\nsrun torchrun train.py --output_dir /fsx/out\n"
    passes("CW-J059", HEAD + text)


def test_without_an_array() -> None:
    passes("CW-J059", HEAD + "srun torchrun train.py --output_dir /fsx/out\n")
