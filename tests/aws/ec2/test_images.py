"""Machine images."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.stub import Stubber

from clusterwright.aws.ec2.images import Image, image
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession

ID = "ami-0a1b2c3d4e5f60718"
ROOT = {"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 75}}
DATA = {"DeviceName": "/dev/sdb", "Ebs": {"VolumeSize": 500}}
ANSWER = {
    "ImageId": ID,
    "State": "available",
    "Architecture": "x86_64",
    "OwnerId": "111122223333",
    "Name": "nodes",
}


@pytest.mark.parametrize(
    ("changes", "device", "size"),
    [
        ({"RootDeviceName": "/dev/xvda", "BlockDeviceMappings": [DATA, ROOT]}, "/dev/xvda", 75),
        ({"RootDeviceName": "/dev/xvda", "BlockDeviceMappings": [DATA]}, "/dev/xvda", None),
        ({"BlockDeviceMappings": [DATA]}, None, None),
    ],
)
def test_an_image_and_its_root_volume(
    session: AwsSession, changes: dict[str, Any], device: str | None, size: int | None
) -> None:
    with Stubber(session.client("ec2")) as stub:
        stub.add_response(
            "describe_images", {"Images": [{**ANSWER, **changes}]}, {"ImageIds": [ID]}
        )
        assert image(session, ID) == Image(
            ID, "available", "x86_64", "111122223333", "nodes", device, size
        )


@pytest.mark.parametrize("code", ["InvalidAMIID.NotFound", "InvalidAMIID.Unavailable"])
def test_an_image_that_cannot_be_used(session: AwsSession, code: str) -> None:
    with Stubber(session.client("ec2")) as stub:
        stub.add_client_error("describe_images", code)
        assert image(session, ID) is None


def test_only_the_image_itself_is_an_answer(session: AwsSession) -> None:
    with Stubber(session.client("ec2")) as stub:
        stub.add_response("describe_images", {"Images": [{**ANSWER, "ImageId": "ami-1"}]})
        assert image(session, ID) is None


def test_a_denial_is_unavailable(session: AwsSession) -> None:
    with Stubber(session.client("ec2")) as stub:
        stub.add_client_error("describe_images", "UnauthorizedOperation")
        with pytest.raises(AwsUnavailable):
            image(session, ID)
