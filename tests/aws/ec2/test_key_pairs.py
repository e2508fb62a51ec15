"""EC2 key pairs."""

from __future__ import annotations

from botocore.stub import Stubber

from clusterwright.aws.ec2.key_pairs import key_pair_kind
from clusterwright.aws.session import AwsSession


def test_kind_of_a_key_pair(session: AwsSession) -> None:
    with Stubber(session.client("ec2")) as stub:
        pairs = [{"KeyName": "team", "KeyType": "ed25519"}]
        stub.add_response("describe_key_pairs", {"KeyPairs": pairs}, {"KeyNames": ["team"]})
        assert key_pair_kind(session, "team") == "ed25519"
        stub.add_client_error("describe_key_pairs", "InvalidKeyPair.NotFound")
        assert key_pair_kind(session, "none") is None
        stub.add_response("describe_key_pairs", {"KeyPairs": []}, {"KeyNames": ["none"]})
        assert key_pair_kind(session, "none") is None
