"""CW-J043: References to container images separate the registry with `#`."""

from __future__ import annotations

import pytest

from tests.jobs.made import HEAD, fails, passes


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("enroot import docker://nvcr.io/nvidia/pytorch:1", "docker://nvcr.io#nvidia/pytorch:1"),
        ("srun --container-image=nvcr.io/nvidia/nemo:1 a", "nvcr.io#nvidia/nemo:1"),
        (
            "srun --container-image 111122223333.dkr.ecr.us-east-1.amazonaws.com/a:1 b",
            "amazonaws.com#a",
        ),
    ],
)
def test_slash(text: str, hint: str) -> None:
    assert hint in (fails("CW-J043", HEAD + text + "\n").hint or "")


@pytest.mark.parametrize(
    "text",
    [
        "enroot import docker://nvcr.io#nvidia/pytorch:1",
        "srun --container-image=nvcr.io#nvidia/nemo:1 a",
        "srun --container-image=/fsx/nvcr.io/a.sqsh a",
        "srun --container-image=ubuntu:24.04 a",
        "srun --container-image=./images/a.sqsh a",
        "enroot import docker://nvidia/cuda:12.8.0-base-ubuntu24.04",
        "srun --container-image=$IMAGE a",
    ],
)
def test_hash_file_or_docker_hub(text: str) -> None:
    passes("CW-J043", HEAD + text + "\n")


@pytest.mark.parametrize("option", ["-image hello.sqsh", "-image=images/a.sqsh"])
def test_relative_file_without_a_dot_is_an_image_of_docker_hub_for_pyxis(option: str) -> None:
    found = fails("CW-J043", HEAD + f"srun --container{option} hostname\n")
    assert "Docker Hub" in found.message
    assert (found.hint or "").startswith("./")
