"""CW-J052: The layout divides the accelerators and the batch."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes

RUN = "srun torchrun --nproc_per_node=8 pretrain_gpt.py "
LAYOUT = "--tensor-model-parallel-size 8 --pipeline-model-parallel-size 2 "


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--tensor-model-parallel-size 8 --pipeline-model-parallel-size 3", "does not divide 32"),
        (LAYOUT + "--num-attention-heads 12", "12 attention heads"),
        (LAYOUT + "--num-layers 33", "33 layers"),
        (LAYOUT + "--micro-batch-size 2 --global-batch-size 6", "global batch of 6"),
        ("--parallelism.tensor_parallel_degree=12", "does not divide 32"),
    ],
)
def test_does_not_divide(words: str, message: str) -> None:
    assert message in fails("CW-J052", HEAD + RUN + words + "\n").message


@pytest.mark.parametrize(
    "words",
    [
        LAYOUT
        + "--num-attention-heads 64 --num-layers 80 --micro-batch-size 1 --global-batch-size 512",
        LAYOUT + "--num-layers 33 --pp-partition-method 'type:transformer|embedding'",
        LAYOUT + "--num-layers 31 --account-for-embedding-in-pipeline-split",
        "--tensor-model-parallel-size $TP",
        "--parallelism.tensor_parallel_degree 8",
        "--lr 1e-4",
    ],
)
def test_divides(words: str) -> None:
    passes("CW-J052", HEAD + RUN + words + "\n")


def test_experts_that_do_not_divide_the_accelerators() -> None:
    text = (
        "#!/bin/bash\n#SBATCH -p gpu -N 1 --exclusive\n"
        "srun torchrun --nnodes 1 --nproc-per-node {} pretrain_gpt.py "
        "--pipeline-model-parallel-size 2 --expert-model-parallel-size 4 --num-experts {}\n"
    )
    found = fails("CW-J052", text.format(4, 8))
    assert found.message == (
        "expert tensor 1 × expert 4 × pipeline 2 = 8 does not divide 4 accelerators"
    )
    assert fails("CW-J052", text.format(8, 6)).message.startswith("6 experts do not divide by")
    passes("CW-J052", text.format(8, 8))


@pytest.mark.parametrize(
    "run",
    [
        "srun ./run_train.sh --parallelism.tensor_parallel_degree=8",
        "srun python convert.py --tensor-model-parallel-size 16",
    ],
)
def test_programs_whose_processes_are_not_known(run: str) -> None:
    passes("CW-J052", HEAD + run + "\n")
    passes("CW-J063", HEAD + run.replace("=8", "=4") + "\n")
