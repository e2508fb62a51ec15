"""EC2 key pairs."""

from __future__ import annotations

from clusterwright.aws.errors import none_if_not_found
from clusterwright.aws.session import AwsSession
from clusterwright.aws.values import known_value


@none_if_not_found()
def key_pair_kind(session: AwsSession, name: str) -> str | None:
    """Return the kind of a key pair, `rsa` or `ed25519`; None if there is none of that name."""
    for answer in session.call("ec2", "DescribeKeyPairs", KeyNames=[name])["KeyPairs"]:
        if answer["KeyName"] == name:
            return known_value(
                session,
                str(answer["KeyType"]),
                service="ec2",
                operation="DescribeKeyPairs",
                shape="KeyType",
            )
    return None
