"""The account's setting for the encryption of volumes."""

from __future__ import annotations

from clusterwright.aws.session import AwsSession


def default_volume_key(session: AwsSession) -> str:
    """Return the key of encrypted volumes that name none: an ARN, an id or an alias."""
    return str(session.call("ec2", "GetEbsDefaultKmsKeyId")["KmsKeyId"])
