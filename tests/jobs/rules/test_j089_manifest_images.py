"""CW-J089: Nodes in a closed network pull images from Amazon ECR of their Region."""

from __future__ import annotations

import pytest

from tests.jobs.made_manifests import SPEC, check, fails, passes, pod, pytorch_job

CLOSED = {**SPEC, "network": {**SPEC["network"], "egress": "closed"}}
OWN = "111122223333.dkr.ecr.us-east-1.amazonaws.com/train:1"


def with_image(image: str) -> str:
    made = pod()
    made["containers"][0]["image"] = image
    return pytorch_job(made)


@pytest.mark.parametrize(
    ("image", "where"),
    [
        ("nvcr.io/nvidia/pytorch:24.12-py3", "not in Amazon ECR"),
        ("public.ecr.aws/hpc-cloud/nccl-tests:latest", "not in Amazon ECR"),
        (OWN.replace("us-east-1", "eu-west-1"), "in eu-west-1"),
    ],
)
def test_out_of_reach(image: str, where: str) -> None:
    found = fails("CW-J089", with_image(image), CLOSED)
    assert found.message == f"{image} is {where}, and the network is closed"
    passes("CW-J089", with_image(image))


@pytest.mark.parametrize("image", [OWN, OWN + "@sha256:" + "0" * 64, "$IMAGE"])
def test_of_the_region(image: str) -> None:
    passes("CW-J089", with_image(image), CLOSED)


def test_existing_network() -> None:
    result = check(with_image("nvcr.io/nvidia/pytorch:24.12-py3"), CLOSED)
    assert "CW-J089" in {finding.rule for finding in result.findings}


@pytest.mark.parametrize("image", ["IMAGE_URI", "ACCOUNT_ID.dkr.ecr.REGION.amazonaws.com/train:1"])
def test_names_that_a_script_replaces(image: str) -> None:
    passes("CW-J089", with_image(image), CLOSED)
