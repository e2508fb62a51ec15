"""CW-J063: Tensor parallelism stays within the accelerators that NVLink or NeuronLink joins."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    "arguments",
    [
        "--tensor-model-parallel-size 16",
        "--parallelism.tensor_parallel_degree=32",
        "model.tensor_model_parallel_size=16",
        "++trainer.strategy.tensor_model_parallel_size=16",
    ],
)
def test_over_several_nodes(arguments: str) -> None:
    found = fails("CW-J063", HEAD + f"srun torchrun --nproc-per-node=8 train.py {arguments}\n")
    assert found.limit == 8
    assert "crosses the network: 8 share one link" in found.message


@pytest.mark.parametrize(
    "arguments",
    ["--tensor-model-parallel-size 8", "--tensor-model-parallel-size $TP", "--hidden-size 8192"],
)
def test_within_a_node(arguments: str) -> None:
    passes("CW-J063", HEAD + f"srun torchrun --nproc-per-node=8 train.py {arguments}\n")
