"""CW-J020: NCCL_SOCKET_IFNAME excludes interfaces instead of naming one."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    "text",
    [
        "export NCCL_SOCKET_IFNAME=eth0",
        "export NCCL_SOCKET_IFNAME=^lo,docker,eth",
        "NCCL_SOCKET_IFNAME=ens32 srun a",
        "srun --export=ALL a\nmpirun -x NCCL_SOCKET_IFNAME=eth0 a",
    ],
)
def test_fixed(text: str) -> None:
    assert "NCCL_SOCKET_IFNAME" in fails("CW-J020", HEAD + text + "\n").message


def test_in_a_partition_of_another_cluster() -> None:
    """Job files of others: the nodes are those with the accelerators that the job requests."""
    head = "#!/bin/bash\n#SBATCH --partition=hopper-prod\n#SBATCH --nodes=2\n"
    fixed = "export NCCL_SOCKET_IFNAME=enp71s0\nsrun a\n"
    for option in ("--gpus-per-node=8", "--gpus-per-task=8", "--gres=gpu:8"):
        fails("CW-J020", f"{head}#SBATCH {option}\n{fixed}")
    # Without them the file does not say which nodes it gets.
    passes("CW-J020", head + fixed)


def test_of_the_option_export() -> None:
    fails("CW-J020", HEAD + "#SBATCH --export=ALL,NCCL_SOCKET_IFNAME=eth0\nsrun a\n")
    fails("CW-J020", HEAD + "srun --export=ALL,NCCL_SOCKET_IFNAME=eth0 a\n")


@pytest.mark.parametrize("value", ["^docker,lo,veth", "$IFACE", "^lo", "en", "eth0,en,bond"])
def test_exclusion(value: str) -> None:
    passes("CW-J020", HEAD + f"export NCCL_SOCKET_IFNAME={value}\n")
