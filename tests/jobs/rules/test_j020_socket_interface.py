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


def test_of_the_option_export() -> None:
    fails("CW-J020", HEAD + "#SBATCH --export=ALL,NCCL_SOCKET_IFNAME=eth0\nsrun a\n")


@pytest.mark.parametrize("value", ["^docker,lo,veth", "$IFACE", "^lo"])
def test_exclusion(value: str) -> None:
    passes("CW-J020", HEAD + f"export NCCL_SOCKET_IFNAME={value}\n")
