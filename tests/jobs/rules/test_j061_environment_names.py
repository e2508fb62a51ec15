"""CW-J061: Variables of the environment have the names that programs read."""

from __future__ import annotations

import pytest

from clusterwright.jobs.environment_names import meant
from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("NCCL_SOCKET_IFNAMES", "NCCL_SOCKET_IFNAME"),
        ("NCLL_DEBUG", "NCCL_DEBUG"),
        ("NCCL_BUFFERSIZE", "NCCL_BUFFSIZE"),
        ("FI_PROVDER", "FI_PROVIDER"),
        ("CUDA_VISABLE_DEVICES", "CUDA_VISIBLE_DEVICES"),
        ("OMP_NUM_THREAD", "OMP_NUM_THREADS"),
        ("NCCL_DEBUG", None),
        ("MASTER_PORT2", None),
        ("RANK", None),
        ("MASTER_HOST", None),
    ],
)
def test_known_name_that_a_name_means(name: str, other: str | None) -> None:
    assert meant(name) == other


def test_misspelt_name() -> None:
    text = f"{HEAD}export {{}}=^lo,docker\nsrun python train.py\n"
    found = fails("CW-J061", text.format("NCCL_SOCKET_IFNAMES"))
    assert found.hint == "did you mean `NCCL_SOCKET_IFNAME`?"
    passes("CW-J061", text.format("NCCL_SOCKET_IFNAME"))


def test_name_that_the_script_reads() -> None:
    passes("CW-J061", f"{HEAD}export WORLD_SIZES=16\nsrun python train.py --size $WORLD_SIZES\n")
