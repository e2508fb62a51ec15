"""Images that an account registers, creates or copies."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import amazon_image_id, client

pytestmark = pytest.mark.usefixtures("local")


def described(image_id: str) -> dict[str, Any]:
    (found,) = client("ec2").describe_images(ImageIds=[image_id])["Images"]
    return dict(found)


def registered(**more: Any) -> dict[str, Any]:
    return described(client("ec2").register_image(Name="mine", **more)["ImageId"])


def test_an_image_is_as_it_was_registered() -> None:
    volume = {"VolumeSize": 30, "VolumeType": "gp3", "DeleteOnTermination": True}
    found = registered(
        Architecture="arm64",
        VirtualizationType="hvm",
        BootMode="uefi",
        RootDeviceName="/dev/xvda",
        BlockDeviceMappings=[{"DeviceName": "/dev/xvda", "Ebs": volume}],
        TagSpecifications=[
            {"ResourceType": "image", "Tags": [{"Key": "team", "Value": "a"}]},
        ],
    )
    assert found["RootDeviceType"] == "ebs"
    assert found["RootDeviceName"] == "/dev/xvda"
    assert found["Architecture"] == "arm64"
    assert found["VirtualizationType"] == "hvm"
    assert found["BootMode"] == "uefi"
    assert found["Tags"] == [{"Key": "team", "Value": "a"}]
    (device,) = found["BlockDeviceMappings"]
    assert device["DeviceName"] == "/dev/xvda"
    assert volume.items() <= device["Ebs"].items()
    assert device["Ebs"]["SnapshotId"].startswith("snap-")


def test_an_image_with_only_a_name_has_the_defaults() -> None:
    found = registered()
    assert (found["Architecture"], found["VirtualizationType"]) == ("i386", "paravirtual")
    assert found["RootDeviceType"] == "ebs"


def test_an_image_in_s3_has_an_instance_store() -> None:
    assert registered(ImageLocation="bucket/manifest.xml")["RootDeviceType"] == "instance-store"


def test_copied_and_created_images_are_backed_by_a_volume() -> None:
    ec2 = client("ec2")
    source = amazon_image_id()
    copied = ec2.copy_image(Name="copy", SourceImageId=source, SourceRegion="us-east-1")["ImageId"]
    (instance,) = ec2.run_instances(ImageId=source, MinCount=1, MaxCount=1)["Instances"]
    created = ec2.create_image(Name="new", InstanceId=instance["InstanceId"])["ImageId"]
    assert {described(image)["RootDeviceType"] for image in (copied, created)} == {"ebs"}
