"""CW-J021: The environment leaves EFA enabled."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    "text",
    [
        "FI_PROVIDER=tcp",
        "FI_PROVIDER=sockets",
        "FI_PROVIDER=^efa",
        "FI_PROVIDER=elfa",
        "NCCL_NET=Socket",
        "NCCL_NET_PLUGIN=none",
        "FI_EFA_USE_DEVICE_RDMA=0",
    ],
)
def test_without_efa(text: str) -> None:
    assert text in fails("CW-J021", HEAD + f"export {text}\nsrun a\n").message


@pytest.mark.parametrize(
    "text", ["FI_PROVIDER=efa", 'FI_PROVIDER="efa"', "FI_EFA_USE_DEVICE_RDMA=1", "NCCL_NET=ofi"]
)
def test_efa(text: str) -> None:
    passes("CW-J021", HEAD + f"export {text}\nsrun a\n")


def test_one_node_needs_no_efa() -> None:
    passes("CW-J021", "#!/bin/bash\n#SBATCH -N1\nexport FI_PROVIDER=tcp\n")


def test_locked_memory() -> None:
    found = fails("CW-J021", HEAD + "ulimit -l 65536\nsrun a\n")
    assert found.message == "ulimit -l 65536: EFA registers more memory than 65536 KiB"
    passes("CW-J021", HEAD + "ulimit -l unlimited\nulimit -l\nulimit -n 65536\nsrun a\n")
