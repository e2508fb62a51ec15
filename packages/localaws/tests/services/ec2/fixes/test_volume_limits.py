"""The quota of storage of gp3 volumes."""

from __future__ import annotations

from typing import Any

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import client, refusal

QUOTA = "ebs/L-7A658B76"
REFUSED = (
    "VolumeLimitExceeded",
    "You have exceeded your maximum gp3 storage limit of 1 TiB in this region. Please contact AWS "
    "Support to request an Elastic Block Store service limit increase.",
)


def volume(size: int, kind: str = "gp3") -> dict[str, Any]:
    return {"Size": size, "AvailabilityZone": "us-east-1a", "VolumeType": kind}


def test_volumes_beyond_the_quota_are_refused() -> None:
    with local_aws(quotas={QUOTA: 1}):
        ec2 = client("ec2")
        first = ec2.create_volume(**volume(1000))["VolumeId"]
        ec2.create_volume(**volume(24))
        assert refusal(ec2.create_volume, **volume(1)) == REFUSED
        assert ec2.create_volume(**volume(100, "gp2"))["Size"] == 100
        assert client("ec2", "us-west-2").create_volume(
            **{**volume(1000), "AvailabilityZone": "us-west-2a"}
        )
        ec2.delete_volume(VolumeId=first)
        ec2.create_volume(**volume(1000))


def test_instances_beyond_the_quota_are_not_launched() -> None:
    mapping = {"DeviceName": "/dev/sda1", "Ebs": {"VolumeSize": 400, "VolumeType": "gp3"}}
    with local_aws(quotas={QUOTA: 1}):
        ec2 = client("ec2")
        launch: dict[str, Any] = {
            "ImageId": "ami-12c6146b",
            "InstanceType": "m5.large",
            "BlockDeviceMappings": [mapping],
        }
        assert refusal(ec2.run_instances, **launch, MinCount=3, MaxCount=3) == REFUSED
        assert ec2.describe_instances()["Reservations"] == []
        assert len(ec2.run_instances(**launch, MinCount=2, MaxCount=2)["Instances"]) == 2
        template = ec2.create_launch_template(
            LaunchTemplateName="nodes", LaunchTemplateData={"BlockDeviceMappings": [mapping]}
        )["LaunchTemplate"]["LaunchTemplateId"]
        del launch["BlockDeviceMappings"]
        launch["LaunchTemplate"] = {"LaunchTemplateId": template}
        assert refusal(ec2.run_instances, **launch, MinCount=1, MaxCount=1) == REFUSED


def test_volume_without_a_size_has_that_of_its_snapshot() -> None:
    with local_aws(quotas={QUOTA: 1}):
        ec2 = client("ec2")
        made = ec2.create_volume(**volume(600))["VolumeId"]
        snapshot = ec2.create_snapshot(VolumeId=made)["SnapshotId"]
        request = {**volume(0), "SnapshotId": snapshot}
        del request["Size"]
        assert refusal(ec2.create_volume, **request) == REFUSED
        ec2.delete_volume(VolumeId=made)
        assert ec2.create_volume(**request)["Size"] == 600


def test_root_volume_without_a_size_has_that_of_the_image() -> None:
    with local_aws():
        ec2 = client("ec2")
        image = ec2.describe_images(ImageIds=["ami-12c6146b"])["Images"][0]
        mapping = {"DeviceName": image["RootDeviceName"], "Ebs": {"VolumeType": "gp3"}}
        launch: dict[str, Any] = {"ImageId": "ami-12c6146b", "MinCount": 1, "MaxCount": 1}
        assert ec2.run_instances(
            **launch,
            InstanceType="m5.large",
            BlockDeviceMappings=[mapping],
        )["Instances"]
