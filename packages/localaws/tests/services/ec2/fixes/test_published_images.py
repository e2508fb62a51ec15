"""Images that SSM's public parameters name exist in EC2."""

from __future__ import annotations

import pytest

from clusterwright_localaws.services.ec2.published_images import published_images
from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("local")


def test_every_published_image_is_described() -> None:
    ids = {image.id_in("us-east-1"): image for image in published_images()}
    found = client("ec2").describe_images(ImageIds=list(ids))["Images"]
    assert {image["ImageId"]: image["Architecture"] for image in found} == {
        name: image.architecture for name, image in ids.items()
    }
    assert {image["OwnerId"] for image in found} == {"000000000000"}


def test_an_image_belongs_to_its_region() -> None:
    image = published_images()[0]
    ec2 = client("ec2", "us-west-2")
    code, _ = refusal(ec2.describe_images, ImageIds=[image.id_in("us-east-1")])
    assert code == "InvalidAMIID.NotFound"
    (found,) = ec2.describe_images(ImageIds=[image.id_in("us-west-2")])["Images"]
    assert found["Name"] == f"localaws{image.parameter.replace('/', '-')}"
