"""Volumes, and the account's setting for their encryption."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clusterwright.aws.ec2.instances import NODE_TAGS, tag_value
from clusterwright.aws.ec2.vpc import STACK_TAG
from clusterwright.aws.session import AwsSession


@dataclass(frozen=True)
class Volume:
    """A volume, with what its tags state about its owner.

    `stack` and `node_of` are the same as of an `Instance`.
    """

    capacity_gib: int
    stack: str | None
    node_of: str | None = None


def default_volume_key(session: AwsSession) -> str:
    """Return the key of encrypted volumes that name none: an ARN, an id or an alias."""
    return str(session.call("ec2", "GetEbsDefaultKmsKeyId")["KmsKeyId"])


def volume_ids(session: AwsSession, tag_key: str) -> tuple[str, ...]:
    """Return the ids of the volumes with a tag, such as `kubernetes.io/cluster/NAME`."""
    wanted = [{"Name": "tag-key", "Values": [tag_key]}]
    found = session.items("ec2", "DescribeVolumes", "Volumes", Filters=wanted)
    return tuple(volume["VolumeId"] for volume in found)


def general_purpose(session: AwsSession) -> tuple[Volume, ...]:
    """Return every volume of type gp3 of the account in the region."""
    wanted = [{"Name": "volume-type", "Values": ["gp3"]}]
    return tuple(
        _volume(found)
        for found in session.items("ec2", "DescribeVolumes", "Volumes", Filters=wanted)
    )


def _volume(answer: Mapping[str, Any]) -> Volume:
    return Volume(
        capacity_gib=answer["Size"],
        stack=tag_value(answer, STACK_TAG),
        node_of=tag_value(answer, *NODE_TAGS),
    )
