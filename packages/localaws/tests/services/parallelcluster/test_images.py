"""The image of a node."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.cloudformation.handler import HandlerFailure
from clusterwright_localaws.services.parallelcluster.images import image_id


class Ec2:
    """Images of two releases for one architecture."""

    def __init__(self, *names: str) -> None:
        self._names = names

    def describe_instance_types(self, InstanceTypes: list[str]) -> dict[str, Any]:  # noqa: N803
        kind = {"InstanceType": InstanceTypes[0]}
        return {
            "InstanceTypes": [{**kind, "ProcessorInfo": {"SupportedArchitectures": ["x86_64"]}}]
        }

    def describe_images(self, Filters: list[dict[str, Any]]) -> dict[str, Any]:  # noqa: N803
        assert Filters[0] == {"Name": "architecture", "Values": ["x86_64"]}
        return {"Images": [{"Name": name, "ImageId": f"ami-{name}"} for name in self._names]}


def configuration(**image: Any) -> dict[str, Any]:
    return {"Image": {"Os": "ubuntu2204", **image}, "HeadNode": {"InstanceType": "m5.large"}}


UBUNTU = "aws-parallelcluster-{}-ubuntu-2204-lts-hvm-x86_64"
AMAZON = "aws-parallelcluster-{}-amzn2023-hvm-x86_64"


def test_the_image_of_the_release_and_the_system() -> None:
    ec2 = Ec2(AMAZON.format("3.16.1"), UBUNTU.format("3.15.0"), UBUNTU.format("3.16.1"))
    assert image_id(ec2, configuration(), "3.16.1") == f"ami-{UBUNTU.format('3.16.1')}"
    assert image_id(ec2, configuration(), "3.99.0") == f"ami-{UBUNTU.format('3.15.0')}"
    assert image_id(ec2, configuration(Os="alinux2023"), "3.16.1").startswith("ami-aws")


def test_a_custom_image_goes_first_and_that_of_the_head_node_before_all() -> None:
    own = configuration(CustomAmi="ami-cluster")
    assert image_id(Ec2(), own, "3.16.1") == "ami-cluster"
    own["HeadNode"]["Image"] = {"CustomAmi": "ami-head"}
    assert image_id(Ec2(), own, "3.16.1") == "ami-head"


def test_a_system_without_an_image_is_refused() -> None:
    with pytest.raises(HandlerFailure, match="no official image of ubuntu2204 for x86_64"):
        image_id(Ec2(AMAZON.format("3.16.1")), configuration(), "3.16.1")
