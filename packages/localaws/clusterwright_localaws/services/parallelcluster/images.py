"""The image of a node: that of the configuration, else the official image of its system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clusterwright_localaws.cloudformation.handler import HandlerFailure

NAME_PARTS: Final = {
    "alinux2023": "amzn2023-hvm",
    "ubuntu2204": "ubuntu-2204-lts-hvm",
    "ubuntu2404": "ubuntu-2404-lts-hvm",
    "rhel8": "rhel8-hvm",
    "rhel9": "rhel9-hvm",
}
"""OS_TO_IMAGE_NAME_PART_MAP of pcluster/constants.py 3.16.1."""


def image_id(ec2: Any, configuration: Mapping[str, Any], version: str) -> str:
    """Return the head node's image. Unlike on AWS, nodes of other architectures use it too.

    Raises
    ------
    HandlerFailure
        There is no such image.
    """
    own = (configuration["HeadNode"].get("Image") or {}).get("CustomAmi") or configuration[
        "Image"
    ].get("CustomAmi")
    if own:
        return str(own)
    system = configuration["Image"]["Os"]
    kind = configuration["HeadNode"]["InstanceType"]
    (described,) = ec2.describe_instance_types(InstanceTypes=[kind])["InstanceTypes"]
    architecture = described["ProcessorInfo"]["SupportedArchitectures"][0]
    found: list[dict[str, Any]] = ec2.describe_images(
        Filters=[
            {"Name": "architecture", "Values": [architecture]},
            {"Name": "name", "Values": ["aws-parallelcluster-*"]},
        ]
    )["Images"]
    part = f"-{NAME_PARTS.get(system, system)}-"
    # The images here are those of one release; none are invented for other releases.
    images = [item for item in found if part in item["Name"]]
    exact = [image for image in images if f"aws-parallelcluster-{version}-" in image["Name"]]
    if not images:
        raise HandlerFailure(
            f"There is no official image of {system} for {architecture} here", "NotFound"
        )
    return str((exact or images)[0]["ImageId"])
