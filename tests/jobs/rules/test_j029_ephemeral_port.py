"""CW-J029: The port at which processes meet is none that the kernel gives to others."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    ("port", "span"),
    [
        ("57062", "57062"),
        ("$((SLURM_JOB_ID % 16384 + 49152))", "49152 to 65535"),
        ("$((10000 + SLURM_JOB_ID % 50000))", "10000 to 59999"),
        ("$((10000 + (SLURM_JOB_ID % 50000)))", "10000 to 59999"),
    ],
)
def test_ports_of_outgoing_connections(port: str, span: str) -> None:
    found = fails("CW-J029", f"{HEAD}export MASTER_PORT={port}\nsrun python train.py\n")
    assert found.message.startswith(f"the port {span} is among those")


@pytest.mark.parametrize("port", ["29500", "$((10000 + SLURM_JOB_ID % 20000))", "61000", "$PORT"])
def test_other_ports(port: str) -> None:
    passes("CW-J029", f"{HEAD}export MASTER_PORT={port}\nsrun python train.py\n")


def test_a_port_of_a_launcher() -> None:
    launch = "srun torchrun --nnodes 4 --nproc-per-node 8 --rdzv-endpoint=$FIRST:{} train.py\n"
    fails("CW-J029", HEAD + launch.format(40000))
    passes("CW-J029", HEAD + launch.format(29400))
    passes("CW-J029", HEAD + launch.format(0))
