"""Volumes, and the account's setting for their encryption."""

from __future__ import annotations

from clusterwright.aws.session import AwsSession


def default_volume_key(session: AwsSession) -> str:
    """Return the key of encrypted volumes that name none: an ARN, an id or an alias."""
    return str(session.call("ec2", "GetEbsDefaultKmsKeyId")["KmsKeyId"])


def volume_ids(session: AwsSession, tag_key: str) -> tuple[str, ...]:
    """Return the ids of the volumes with a tag, such as `kubernetes.io/cluster/NAME`."""
    wanted = [{"Name": "tag-key", "Values": [tag_key]}]
    found = session.items("ec2", "DescribeVolumes", "Volumes", Filters=wanted)
    return tuple(volume["VolumeId"] for volume in found)
