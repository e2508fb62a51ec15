"""CW-J007: The nodes have the sockets, cores and threads that the job requests."""

from __future__ import annotations

import pytest

from tests.jobs.made import SPEC, fails, passes
from tests.support import parallelcluster_specs

TEXT = "#!/bin/bash\n#SBATCH -p cpu {}\nsrun ./fire\n"
"""Nodes of c5.4xlarge: 8 cores with 2 threads, in one socket."""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--sockets-per-node=2 --cores-per-socket=4", "2 sockets are requested, and slurm.conf"),
        ("--cores-per-socket=18", "18 cores per socket are requested, and slurm.conf has 8 for"),
        ("--threads-per-core=4", "4 threads per core are requested, and slurm.conf has 2 for"),
        ("-B 2:4:1", "2 sockets are requested, and slurm.conf has 1 for"),
        ("--extra-node-info=1:16", "16 cores per socket are requested"),
    ],
)
def test_more_than_slurm_has(options: str, message: str) -> None:
    found = fails("CW-J007", TEXT.format(options))
    assert found.message.startswith(message)


@pytest.mark.parametrize(
    "options", ["--sockets-per-node=1 --cores-per-socket=8", "-B 1:8:2", "-B *:*:1", ""]
)
def test_what_slurm_has(options: str) -> None:
    passes("CW-J007", TEXT.format(options))


def test_the_numbers_of_other_configurations_are_not_known() -> None:
    text = "#!/bin/bash\n#SBATCH --sockets-per-node=2\nsrun ./fire\n"
    fails("CW-J007", text, SPEC)
    passes("CW-J007", text, parallelcluster_specs.SMALL)


def test_more_tasks_than_sockets_take() -> None:
    text = TEXT.format("-N1 -n3 --ntasks-per-socket={}")
    found = fails("CW-J007", text.format(1))
    assert found.message.startswith("3 tasks per node are requested, with at most 1 per socket")
    passes("CW-J007", text.format(3))
