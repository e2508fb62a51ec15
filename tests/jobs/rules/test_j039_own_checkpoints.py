"""CW-J039: A run that is requeued goes on from its own checkpoints."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes

REQUEUED = HEAD + "#SBATCH --requeue\n"
RUN = "srun torchrun pretrain_gpt.py --num-layers 32 "


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--save /fsx/c", "loads no checkpoint from /fsx/c"),
        ("--save /fsx/c --load /fsx/base", "loads /fsx/base, not what it wrote to /fsx/c"),
        ("--save /fsx/c --load /fsx/c --finetune", "begins at step 0"),
        ("--save /fsx/c --seed $SEED", "loads no checkpoint from /fsx/c"),
    ],
)
def test_begins_again(arguments: str, message: str) -> None:
    assert message in fails("CW-J039", f"{REQUEUED}{RUN}{arguments}\n").message


@pytest.mark.parametrize(
    "arguments",
    [
        "--save /fsx/c --load /fsx/c",
        "--save $C --load $C",
        "--save /fsx/c --load /fsx/base --pretrained-checkpoint /fsx/base",
        "--load /fsx/base --finetune",
        "--save /fsx/c --load /fsx/c/",
        "--save /fsx/c --yaml-cfg a.yaml",
        "--save /fsx/c $EXTRA_ARGS",
        "--save /fsx/c --bf16 $MORE",
        "--save /fsx/c ${EXTRA_ARGS:-}",
        "--save /fsx/c $(cat options)",
        '--save /fsx/c "$@"',
    ],
)
def test_goes_on(arguments: str) -> None:
    passes("CW-J039", f"{REQUEUED}{RUN}{arguments}\n")


def test_not_requeued_or_another_program() -> None:
    passes("CW-J039", f"{HEAD}{RUN}--save /fsx/c\n")
    passes("CW-J039", REQUEUED + "srun torchrun train.py --save /fsx/c\n")


@pytest.mark.parametrize(
    ("before", "arguments"),
    [
        ("if [ -d $C ]; then L=$C; else L=/fsx/base; fi", "--save $C --load $L"),
        ("L=''\nif [ -f $C/latest ]; then L=\"--load $C\"; fi", "--save $C $L"),
        ("L=''\n[ -f $C/latest ] && L=\"--load $C\"", "--save $C $L"),
        ("B=()\nif [ -f $C/latest ]; then B+=(--load $C); fi", '--save $C "${B[@]}"'),
        ("F=''\n[ -d $C/iter ] || F=--finetune", "--save $C --load $C $F"),
    ],
)
def test_depends_on_what_is_there(before: str, arguments: str) -> None:
    passes("CW-J039", f"{REQUEUED}C=/fsx/c\n{before}\n{RUN}{arguments}\n")


def test_a_tool_does_not_train() -> None:
    run = "srun python tools/checkpoint/convert.py --num-layers 3 --save /fsx/a --load /fsx/b\n"
    passes("CW-J039", REQUEUED + run)
    fails("CW-J039", REQUEUED + run.replace("convert", "pretrain_gpt"))


@pytest.mark.parametrize("path", ["/fsx/c/*", "/fsx/c", "/fsx/c/"])
def test_deletes_its_checkpoints(path: str) -> None:
    run = "srun torchrun train.py --save-dir /fsx/c/run\n"
    found = fails("CW-J039", f"{REQUEUED}rm -rf {path}\n{run}")
    assert f"deletes the checkpoints in {path}" in found.message
    passes("CW-J039", f"{REQUEUED}[ $SLURM_RESTART_COUNT ] || rm -rf {path}\n{run}")
    passes("CW-J039", f"{REQUEUED}rm -rf /fsx/cache\n{run}rm -rf {path}\n")
