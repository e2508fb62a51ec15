"""Tests of services.ec2.fixes.terminated_interfaces."""

from __future__ import annotations

from typing import Any

from packages.localaws.tests.parts import Site, amazon_image_id, client


class TestInterfacesOfInstances:
    def launched(self, site: Site, **interface: Any) -> tuple[str, str]:
        """An instance and its interface."""
        spec = {"DeviceIndex": 0, "SubnetId": site.subnet_id, **interface}
        if "NetworkInterfaceId" in interface:
            del spec["SubnetId"]
        image = amazon_image_id()
        (instance,) = client("ec2").run_instances(
            ImageId=image,
            InstanceType="m5.large",
            MinCount=1,
            MaxCount=1,
            NetworkInterfaces=[spec],
        )["Instances"]
        return instance["InstanceId"], instance["NetworkInterfaces"][0]["NetworkInterfaceId"]

    def left(self, instance_id: str) -> list[str]:
        client("ec2").terminate_instances(InstanceIds=[instance_id])
        found = client("ec2").describe_network_interfaces()["NetworkInterfaces"]
        return [item["NetworkInterfaceId"] for item in found]

    def test_interfaces_of_a_launch_are_deleted_with_the_instance(self, site: Site) -> None:
        instance, _ = self.launched(site)
        assert self.left(instance) == []

    def test_every_termination_succeeds(self, site: Site) -> None:
        instance, _ = self.launched(site)
        assert self.left(instance) == self.left(instance) == []

    def test_interfaces_of_every_network_card_are_deleted(self, site: Site) -> None:
        image = amazon_image_id()
        (instance,) = client("ec2").run_instances(
            ImageId=image,
            InstanceType="p5.48xlarge",
            MinCount=1,
            MaxCount=1,
            NetworkInterfaces=[
                {
                    "DeviceIndex": min(card, 1),
                    "NetworkCardIndex": card,
                    "SubnetId": site.subnet_id,
                    "DeleteOnTermination": True,
                }
                for card in range(4)
            ],
        )["Instances"]
        assert self.left(instance["InstanceId"]) == []

    def test_interfaces_without_delete_on_termination_are_kept(self, site: Site) -> None:
        instance, interface = self.launched(site, DeleteOnTermination=False)
        assert self.left(instance) == [interface]

    def test_existing_interfaces_are_kept(self, site: Site) -> None:
        made = client("ec2").create_network_interface(SubnetId=site.subnet_id)
        existing = made["NetworkInterface"]["NetworkInterfaceId"]
        instance, interface = self.launched(site, NetworkInterfaceId=existing)
        assert interface == existing
        assert self.left(instance) == [existing]
