"""Machine images."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clusterwright.aws.errors import AwsUnavailable, is_not_found
from clusterwright.aws.session import AwsSession


@dataclass(frozen=True)
class Image:
    id: str
    state: str
    """`available`, or why it cannot be used."""

    architecture: str
    owner: str
    name: str
    root_device: str | None = None
    """The device of the root volume, such as /dev/xvda; None where EC2 does not say."""

    root_volume_gib: int | None = None
    """Of the snapshot that the root volume is made from."""


def image(session: AwsSession, image_id: str) -> Image | None:
    """One image that this account may use; None where there is none."""
    try:
        found = session.call("ec2", "DescribeImages", ImageIds=[image_id])["Images"]
    except AwsUnavailable as error:
        # InvalidAMIID.NotFound, and .Unavailable for one that is gone.
        if is_not_found(error) or error.code in ("InvalidAMIID.Unavailable",):
            return None
        raise
    for one in found:
        if one["ImageId"] == image_id:
            return Image(
                one["ImageId"],
                one["State"],
                one.get("Architecture") or "",
                one.get("OwnerId") or "",
                one.get("Name") or "",
                one.get("RootDeviceName"),
                _root_volume_gib(one),
            )
    return None


def _root_volume_gib(one: Mapping[str, Any]) -> int | None:
    for mapping in one.get("BlockDeviceMappings", ()):
        if mapping.get("DeviceName") == one.get("RootDeviceName"):
            size: int | None = mapping.get("Ebs", {}).get("VolumeSize")
            return size
    return None
