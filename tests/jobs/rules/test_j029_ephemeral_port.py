"""CW-J029: The port at which processes meet is none that the kernel gives to others."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    ("port", "says"),
    [
        ("57062", "the port 57062 is among those"),
        ("$((SLURM_JOB_ID % 10000 + 40000))", "the ports 40000 to 49999 are among those"),
        ("$((SLURM_JOB_ID % 16384 + 49152))", "the ports 49152 to 65535 include some of those"),
        ("$((10000 + SLURM_JOB_ID % 50000))", "the ports 10000 to 59999 include some of those"),
        ("$((10000 + (SLURM_JOB_ID % 50000)))", "the ports 10000 to 59999 include some of those"),
    ],
)
def test_ports_of_outgoing_connections(port: str, says: str) -> None:
    found = fails("CW-J029", f"{HEAD}export MASTER_PORT={port}\nsrun python train.py\n")
    assert found.message.startswith(f"{says} that the kernel gives")


@pytest.mark.parametrize("port", ["29500", "$((10000 + SLURM_JOB_ID % 20000))", "61000", "$PORT"])
def test_other_ports(port: str) -> None:
    passes("CW-J029", f"{HEAD}export MASTER_PORT={port}\nsrun python train.py\n")


def test_a_port_of_a_launcher() -> None:
    launch = "srun torchrun --nnodes 4 --nproc-per-node 8 --rdzv-endpoint=$FIRST:{} train.py\n"
    fails("CW-J029", HEAD + launch.format(40000))
    passes("CW-J029", HEAD + launch.format(29400))
    passes("CW-J029", HEAD + launch.format(0))


def test_a_launcher_that_chooses_its_port_itself() -> None:
    launch = "torchrun --standalone --master-port 50000 --nproc-per-node 8 train.py\n"
    text = "#!/bin/bash\n#SBATCH -N1 --exclusive\n"
    passes("CW-J029", text + launch)
    passes("CW-J029", f"{text}export MASTER_PORT=50000\n{launch}")
    fails("CW-J029", f"{text}export MASTER_PORT=50000\npython train.py\n")
