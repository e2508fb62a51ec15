"""CW-J064: Containers of Docker for training have accelerators, the network and memory."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes

ALL = "--gpus all --network host --device /dev/infiniband --ipc host"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (ALL.replace("--gpus all ", ""), "no GPUs"),
        (ALL.replace("--network host ", ""), "a network of its own"),
        (ALL.replace("--device /dev/infiniband ", ""), "no EFA devices"),
        (ALL.replace(" --ipc host", ""), "64 MiB of shared memory"),
    ],
)
def test_missing(options: str, message: str) -> None:
    text = HEAD + f"srun docker run {options} $IMAGE torchrun train.py\n"
    found = fails("CW-J064", text)
    assert found.message == f"the container has {message}" or message in found.message
    assert "docker run --" in (found.hint or "")


@pytest.mark.parametrize(
    "options",
    [
        ALL,
        "--runtime=nvidia --net=host --privileged --shm-size 64g",
        "--gpus=all --network=host --device=/dev/infiniband/uverbs0 --ipc=host",
        "$DOCKER_ARGS",
    ],
)
def test_all_given(options: str) -> None:
    passes("CW-J064", HEAD + f"srun docker run {options} image torchrun train.py\n")


def test_on_one_node_and_what_starts_no_container() -> None:
    options = "--gpus all --ipc host"
    one = "#!/bin/bash\n#SBATCH --nodes=1\n"
    passes("CW-J064", f"{one}docker run {options} image torchrun train.py\n")
    passes("CW-J064", HEAD + "docker build -t run .\nsrun torchrun train.py\n")


@pytest.mark.parametrize(
    "command",
    [
        "docker run --rm python:3.12 python -m json.tool a.json",
        "srun docker run $COMMON image torchrun train.py",
        "srun docker run $(ls /dev/infiniband) image torchrun train.py",
    ],
)
def test_other_containers_and_options_that_are_not_known(command: str) -> None:
    passes("CW-J064", HEAD + command + "\nsrun torchrun train.py\n")
