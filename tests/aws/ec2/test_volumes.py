"""Volumes by their tag."""

from __future__ import annotations

from botocore.stub import Stubber

from clusterwright.aws.ec2.volumes import volume_ids
from clusterwright.aws.session import AwsSession


def test_volumes_with_a_tag(session: AwsSession) -> None:
    with Stubber(session.client("ec2")) as stub:
        stub.add_response(
            "describe_volumes",
            {"Volumes": [{"VolumeId": "vol-1"}]},
            {"Filters": [{"Name": "tag-key", "Values": ["kubernetes.io/cluster/prod"]}]},
        )
        assert volume_ids(session, "kubernetes.io/cluster/prod") == ("vol-1",)
