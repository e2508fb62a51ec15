"""Tests of services.ec2.volume_checks."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import amazon_image_id, client, refusal

VALUE, COMBINATION = "InvalidParameterValue", "InvalidParameterCombination"
RATIO = "is too high; maximum is"

ACCEPTED: list[dict[str, Any]] = [
    {"Size": 1},
    {"VolumeType": "standard", "Size": 1024},
    {"VolumeType": "gp2", "Size": 16_384},
    {"VolumeType": "gp3", "Size": 1},
    {"VolumeType": "gp3", "Size": 1, "Iops": 3_000, "Throughput": 750},
    {"VolumeType": "gp3", "Size": 65_536, "Iops": 80_000, "Throughput": 2_000},
    {"VolumeType": "gp3", "Size": 20, "Iops": 10_000},
    {"VolumeType": "io1", "Size": 4, "Iops": 200, "MultiAttachEnabled": True},
    {"VolumeType": "io2", "Size": 256, "Iops": 256_000},
    {"VolumeType": "st1", "Size": 125},
    {"VolumeType": "sc1", "Size": 16_384},
    {"VolumeType": "gp2", "Size": 8, "MultiAttachEnabled": False},
]
REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"Size": 16_385}, VALUE, "Volume of 16385GiB is too large; maximum is 16384GiB."),
    ({"VolumeType": "standard", "Size": 1025}, VALUE, "maximum is 1024GiB."),
    ({"VolumeType": "io1", "Size": 3, "Iops": 100}, VALUE, "minimum is 4GiB."),
    ({"VolumeType": "st1", "Size": 124}, VALUE, "Volume of 124GiB is too small"),
    ({"VolumeType": "gp3", "Size": 65_537}, VALUE, "maximum is 65536GiB."),
    ({"Size": 8, "Iops": 100}, COMBINATION, "iops is not supported for gp2 volumes."),
    ({"VolumeType": "gp2", "Size": 8, "Iops": 0}, COMBINATION, "for gp2 volumes."),
    ({"VolumeType": "io2", "Size": 8}, COMBINATION, "iops must be specified for io2 volumes."),
    ({"VolumeType": "gp3", "Size": 8, "Iops": 2_999}, VALUE, "minimum is 3000."),
    ({"VolumeType": "gp3", "Size": 500, "Iops": 80_001}, VALUE, "maximum is 80000."),
    ({"VolumeType": "io1", "Size": 10_000, "Iops": 64_001}, VALUE, "Volume iops of 64001 is too"),
    ({"VolumeType": "gp3", "Size": 20, "Iops": 15_000}, VALUE, f"750.000000 {RATIO} 500"),
    ({"VolumeType": "io1", "Size": 4, "Iops": 201}, VALUE, f"50.250000 {RATIO} 50"),
    ({"VolumeType": "io2", "Size": 4, "Iops": 4_001}, VALUE, f"{RATIO} 1000"),
    ({"VolumeType": "gp3", "Size": 8, "Throughput": 124}, VALUE, "minimum is 125."),
    ({"VolumeType": "gp3", "Size": 8, "Throughput": 2_001}, VALUE, "maximum is 2000."),
    (
        {"VolumeType": "gp3", "Size": 8, "Throughput": 1_000},
        VALUE,
        f"Throughput (MiBps) to iops ratio of 0.333333 {RATIO} 0.250000 MiBps per iops",
    ),
    (
        {"VolumeType": "io1", "Size": 8, "Iops": 100, "Throughput": 125},
        COMBINATION,
        "throughput can only be specified for volumeType gp3.",
    ),
    (
        {"VolumeType": "gp3", "Size": 8, "KmsKeyId": "alias/aws/ebs"},
        "InvalidParameterDependency",
        "The parameter KmsKeyId requires the parameter Encrypted to be set.",
    ),
]
ONLY_CREATED: list[tuple[dict[str, Any], str, str]] = [
    ({"VolumeType": "gp3", "Size": 8, "MultiAttachEnabled": True}, COMBINATION, "gp3 volumes."),
]


def created(**values: Any) -> str:
    volume: str = client("ec2").create_volume(AvailabilityZone="us-east-1a", **values)["VolumeId"]
    return volume


def mapping(values: dict[str, Any]) -> dict[str, Any]:
    """A second disk; the type is named, since a launch without one may take that of the image."""
    volume = {"VolumeType": "gp2", **values}
    volume["VolumeSize"] = volume.pop("Size")
    return {"DeviceName": "/dev/sdf", "Ebs": volume}


def launch(**more: Any) -> dict[str, Any]:
    image = amazon_image_id()
    return {"ImageId": image, "InstanceType": "t3.micro", "MinCount": 1, "MaxCount": 1, **more}


def snapshot(size: int) -> str:
    return str(client("ec2").create_snapshot(VolumeId=created(Size=size))["SnapshotId"])


@pytest.mark.usefixtures("local")
class TestCreateVolume:
    @pytest.mark.parametrize("values", ACCEPTED)
    def test_what_a_type_takes(self, values: dict[str, Any]) -> None:
        found = client("ec2").describe_volumes(VolumeIds=[created(**values)])["Volumes"][0]
        assert found["Size"] == values["Size"]
        assert found.get("Iops") == values.get("Iops", found.get("Iops"))

    @pytest.mark.parametrize(("values", "code", "text"), REFUSED + ONLY_CREATED)
    def test_what_a_type_refuses(self, values: dict[str, Any], code: str, text: str) -> None:
        ec2 = client("ec2")
        before = len(ec2.describe_volumes()["Volumes"])
        found = refusal(ec2.create_volume, AvailabilityZone="us-east-1a", **values)
        assert found[0] == code
        assert text in found[1]
        assert len(ec2.describe_volumes()["Volumes"]) == before

    def test_snapshots_fit(self) -> None:
        ec2, source = client("ec2"), snapshot(30)
        request = {"AvailabilityZone": "us-east-1a", "SnapshotId": source}
        assert refusal(ec2.create_volume, Size=29, **request)[0] == VALUE
        assert ec2.create_volume(Size=30, **request)["Size"] == 30
        assert ec2.create_volume(**request)["Size"] == 30
        # The size is that of the snapshot, which counts for the type too.
        refused = refusal(ec2.create_volume, VolumeType="st1", **request)
        assert refused == (VALUE, "Volume of 30GiB is too small; minimum is 125GiB.")
        unknown = {**request, "SnapshotId": "snap-0123456789abcdef0"}
        assert refusal(ec2.create_volume, **unknown)[0] == "InvalidSnapshot.NotFound"


@pytest.mark.usefixtures("local")
class TestModifyVolume:
    def test_what_the_new_type_takes(self) -> None:
        ec2, volume = client("ec2"), created(VolumeType="gp2", Size=20)
        for request, code, text in (
            ({"Size": 19}, VALUE, "New size cannot be smaller than existing size"),
            ({"Size": 16_385}, VALUE, "maximum is 16384GiB."),
            ({"Iops": 3_000}, COMBINATION, "iops is not supported for gp2 volumes."),
            ({"Throughput": 125}, COMBINATION, "only be specified for volumeType gp3."),
            ({"VolumeType": "st1"}, VALUE, "minimum is 125GiB."),
            ({"VolumeType": "gp3", "Iops": 15_000}, VALUE, f"{RATIO} 500"),
            ({"VolumeType": "gp3", "Throughput": 751}, VALUE, f"{RATIO} 0.250000"),
        ):
            found = refusal(ec2.modify_volume, VolumeId=volume, **request)
            assert found[0] == code
            assert text in found[1]
        assert ec2.describe_volumes(VolumeIds=[volume])["Volumes"][0]["VolumeType"] == "gp2"
        request = {"VolumeType": "gp3", "Size": 30, "Iops": 15_000, "Throughput": 1_000}
        assert ec2.modify_volume(VolumeId=volume, **request)["VolumeModification"]
        assert ec2.modify_volume(VolumeId=volume, Throughput=2_000)["VolumeModification"]

    def test_iops_are_not_needed(self) -> None:
        ec2, volume = client("ec2"), created(Size=100)
        assert ec2.modify_volume(VolumeId=volume, VolumeType="io2")["VolumeModification"]

    def test_volumes_that_do_not_exist(self) -> None:
        request = {"VolumeId": "vol-0123456789abcdef0", "Size": 8}
        assert refusal(client("ec2").modify_volume, **request)[0] == "InvalidVolume.NotFound"


@pytest.mark.usefixtures("local")
class TestLaunches:
    @pytest.mark.parametrize(
        "values", [one for one in ACCEPTED if "MultiAttachEnabled" not in one]
    )
    def test_what_a_type_takes(self, values: dict[str, Any]) -> None:
        request = launch(BlockDeviceMappings=[mapping(values)])
        assert client("ec2").run_instances(**request)["Instances"]

    @pytest.mark.parametrize(("values", "code", "text"), REFUSED)
    def test_what_a_type_refuses(self, values: dict[str, Any], code: str, text: str) -> None:
        ec2, mappings = client("ec2"), [mapping(values)]
        data = {"BlockDeviceMappings": mappings}
        ec2.create_launch_template(LaunchTemplateName="one", LaunchTemplateData=data)
        for request in ({"LaunchTemplate": {"LaunchTemplateName": "one"}}, data):
            found = refusal(ec2.run_instances, **launch(**request))
            assert found[0] == code
            assert text in found[1]
        assert ec2.describe_instances()["Reservations"] == []

    def test_disks_without_a_type_may_have_that_of_the_image(self) -> None:
        volume = {"VolumeSize": 20, "Iops": 4_000, "Throughput": 500}
        request = launch(BlockDeviceMappings=[{"DeviceName": "/dev/sda1", "Ebs": volume}])
        assert client("ec2").run_instances(**request)["Instances"]

    def test_snapshots_fit(self) -> None:
        ec2, source = client("ec2"), snapshot(30)
        for size, refused in ((29, True), (30, False)):
            volume = {"SnapshotId": source, "VolumeSize": size}
            request = launch(BlockDeviceMappings=[{"DeviceName": "/dev/sdf", "Ebs": volume}])
            if refused:
                text = (
                    f"Volume of size 29GB is smaller than snapshot '{source}', expect size >= 30GB"
                )
                assert refusal(ec2.run_instances, **request) == ("InvalidBlockDeviceMapping", text)
            else:
                assert ec2.run_instances(**request)["Instances"]

    def test_sizes_of_snapshots_of_public_images_are_not_known(self) -> None:
        ec2 = client("ec2")
        (image,) = ec2.describe_images(ImageIds=[amazon_image_id()])["Images"]
        (device,) = image["BlockDeviceMappings"]
        volume = {"SnapshotId": device["Ebs"]["SnapshotId"], "VolumeSize": 8}
        request = launch(
            BlockDeviceMappings=[{"DeviceName": image["RootDeviceName"], "Ebs": volume}]
        )
        assert ec2.run_instances(**request)["Instances"]
