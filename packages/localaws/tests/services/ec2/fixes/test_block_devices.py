"""Tests of services.ec2.fixes.block_devices."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from packages.localaws.tests.parts import Site, amazon_image_id, client


class TestBlockDevices:
    def run(self, site: Site, *mappings: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
        ec2 = client("ec2")
        image = amazon_image_id()
        named = {"BlockDeviceMappings": list(mappings)} if mappings else {}
        (made,) = ec2.run_instances(
            ImageId=image, MinCount=1, MaxCount=1, SubnetId=site.subnet_id, **named, **more
        )["Instances"]
        found = ec2.describe_instances(InstanceIds=[made["InstanceId"]])
        devices: list[dict[str, Any]] = found["Reservations"][0]["Instances"][0][
            "BlockDeviceMappings"
        ]
        return devices

    def test_instance_store_is_not_a_volume(self, site: Site) -> None:
        local = {"DeviceName": "/dev/xvdba", "VirtualName": "ephemeral0"}
        volume = {"DeviceName": "/dev/sdf", "Ebs": {"VolumeSize": 500}}
        both = [item["DeviceName"] for item in self.run(site, local, volume)]
        assert both == ["/dev/sdf"]
        assert "/dev/xvdba" not in {item["DeviceName"] for item in self.run(site, local)}
        client("ec2").create_launch_template(
            LaunchTemplateName="local",
            LaunchTemplateData={"BlockDeviceMappings": [local, volume]},
        )
        template = {"LaunchTemplateName": "local"}
        assert [item["DeviceName"] for item in self.run(site, LaunchTemplate=template)] == [
            "/dev/sdf"
        ]

    def test_template_with_instance_stores_only_has_the_volume_of_the_image(
        self, site: Site
    ) -> None:
        local = {"DeviceName": "/dev/xvdba", "VirtualName": "ephemeral0"}
        client("ec2").create_launch_template(
            LaunchTemplateName="local", LaunchTemplateData={"BlockDeviceMappings": [local]}
        )
        devices = self.run(site, LaunchTemplate={"LaunchTemplateName": "local"})
        assert [item["DeviceName"] for item in devices] == ["/dev/sda1"]

    def test_root_volume_has_the_size_of_its_image(self, site: Site) -> None:
        ec2 = client("ec2")
        (image,) = ec2.describe_images(ImageIds=[amazon_image_id()])["Images"]
        root = {"DeviceName": image["RootDeviceName"], "Ebs": {"Encrypted": True}}
        (device,) = self.run(site, root)
        (volume,) = ec2.describe_volumes(VolumeIds=[device["Ebs"]["VolumeId"]])["Volumes"]
        shown = image["BlockDeviceMappings"][0]["Ebs"]
        assert volume["Size"] == shown["VolumeSize"]
        assert volume["SnapshotId"] == shown["SnapshotId"]

    def test_root_volume_of_a_template_has_the_size_of_its_image(self, site: Site) -> None:
        ec2 = client("ec2")
        (image,) = ec2.describe_images(ImageIds=[amazon_image_id()])["Images"]
        root = {"DeviceName": image["RootDeviceName"], "Ebs": {"VolumeType": "gp3"}}
        for name, more in (("without", {}), ("with", {"ImageId": image["ImageId"]})):
            ec2.create_launch_template(
                LaunchTemplateName=name, LaunchTemplateData={"BlockDeviceMappings": [root], **more}
            )
            (device,) = self.run(site, LaunchTemplate={"LaunchTemplateName": name})
            (volume,) = ec2.describe_volumes(VolumeIds=[device["Ebs"]["VolumeId"]])["Volumes"]
            shown = image["BlockDeviceMappings"][0]["Ebs"]["VolumeSize"]
            assert (volume["Size"], volume["VolumeType"]) == (shown, "gp3")
        versions = ec2.describe_launch_template_versions(LaunchTemplateName="with")
        (version,) = versions["LaunchTemplateVersions"]
        assert version["LaunchTemplateData"]["BlockDeviceMappings"] == [root]

    def test_volume_without_size_and_snapshot_is_refused(self, site: Site) -> None:
        for wrong in ({"Ebs": {"VolumeType": "gp3"}}, {"VirtualName": "disk"}):
            with pytest.raises(ClientError, match="MissingParameter"):
                self.run(site, {"DeviceName": "/dev/sdf", **wrong})

    def test_volumes_have_the_iops_and_throughput_of_the_mapping(self, site: Site) -> None:
        ec2 = client("ec2")
        for kind, values in (
            ("io2", {"Iops": 5_000}),
            ("gp3", {"Iops": 6_000, "Throughput": 500}),
        ):
            volume = {"VolumeSize": 100, "VolumeType": kind, **values}
            mapping = {"DeviceName": "/dev/sdf", "Ebs": volume}
            ec2.create_launch_template(
                LaunchTemplateName=kind, LaunchTemplateData={"BlockDeviceMappings": [mapping]}
            )
            template = {"LaunchTemplate": {"LaunchTemplateName": kind}}
            for devices in (self.run(site, mapping), self.run(site, **template)):
                ids = [
                    one["Ebs"]["VolumeId"] for one in devices if one["DeviceName"] == "/dev/sdf"
                ]
                (found,) = ec2.describe_volumes(VolumeIds=ids)["Volumes"]
                assert {name: found[name] for name in values} == values
