"""Machine images."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clusterwright.aws.errors import none_if_not_found
from clusterwright.aws.session import AwsSession


@dataclass(frozen=True)
class Image:
    id: str
    state: str
    """`available`, or the reason why it cannot be used."""

    architecture: str
    owner: str
    name: str
    root_device: str | None = None
    """Device name of the root volume, such as /dev/xvda; None if EC2 does not return it."""

    root_volume_gib: int | None = None
    """Size of the snapshot of the root volume."""

    enhanced_networking: bool | None = None
    """Whether the image supports ENA; None if EC2 does not return it."""

    deprecation_time: str | None = None
    """When the owner deprecates the image: UTC, ISO 8601."""

    tags: Mapping[str, str] = field(default_factory=dict, hash=False)


@none_if_not_found("InvalidAMIID.Unavailable")  # of a deregistered image
def image(session: AwsSession, image_id: str) -> Image | None:
    """Return an image that the account may use, None if there is none."""
    found = session.call("ec2", "DescribeImages", ImageIds=[image_id])["Images"]
    for answer in found:
        if answer["ImageId"] == image_id:
            return Image(
                answer["ImageId"],
                answer["State"],
                answer.get("Architecture") or "",
                answer.get("OwnerId") or "",
                answer.get("Name") or "",
                answer.get("RootDeviceName"),
                _root_volume_gib(answer),
                answer.get("EnaSupport"),
                answer.get("DeprecationTime") or None,
                {tag["Key"]: tag["Value"] for tag in answer.get("Tags", ())},
            )
    return None


def _root_volume_gib(answer: Mapping[str, Any]) -> int | None:
    for mapping in answer.get("BlockDeviceMappings", ()):
        if mapping.get("DeviceName") == answer.get("RootDeviceName"):
            size: int | None = mapping.get("Ebs", {}).get("VolumeSize")
            return size
    return None
