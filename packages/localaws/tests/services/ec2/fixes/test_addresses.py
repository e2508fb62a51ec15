"""Tests of services.ec2.fixes.addresses."""

from __future__ import annotations

import ipaddress

from packages.localaws.tests.parts import Site, amazon_image_id, client, refusal


class TestAddresses:
    def test_interfaces_have_addresses_of_their_subnet(self, site: Site) -> None:
        ec2 = client("ec2")
        subnet = ec2.create_subnet(VpcId=site.vpc_id, CidrBlock="10.0.200.0/28")["Subnet"]
        interface = ec2.create_network_interface(SubnetId=subnet["SubnetId"])["NetworkInterface"]
        assert interface["PrivateIpAddress"] == "10.0.200.4"  # AWS keeps the first four

    def test_full_subnet_is_refused(self, site: Site) -> None:
        ec2 = client("ec2")
        subnet = ec2.create_subnet(VpcId=site.vpc_id, CidrBlock="10.0.200.0/28")["Subnet"]
        given = [
            ec2.create_network_interface(SubnetId=subnet["SubnetId"])["NetworkInterface"][
                "PrivateIpAddress"
            ]
            for _ in range(11)
        ]
        assert given == [f"10.0.200.{last}" for last in range(4, 15)]
        found, _ = refusal(ec2.create_network_interface, SubnetId=subnet["SubnetId"])
        assert found == "InsufficientFreeAddressesInSubnet"
        (left,) = ec2.describe_subnets(SubnetIds=[subnet["SubnetId"]])["Subnets"]
        assert left["AvailableIpAddressCount"] == 0

    def test_a_deleted_interface_releases_its_address(self, site: Site) -> None:
        ec2 = client("ec2")
        free = site.free_addresses()
        made = ec2.create_network_interface(SubnetId=site.subnet_id)["NetworkInterface"]
        assert site.free_addresses() == free - 1
        ec2.delete_network_interface(NetworkInterfaceId=made["NetworkInterfaceId"])
        assert site.free_addresses() == free

    def test_addresses_of_instances_are_counted(self, site: Site) -> None:
        ec2 = client("ec2")
        free = site.free_addresses()
        image = amazon_image_id()
        instances = ec2.run_instances(
            ImageId=image, MinCount=2, MaxCount=2, SubnetId=site.subnet_id
        )["Instances"]
        subnet = ipaddress.ip_network("10.0.0.0/17")
        assert all(ipaddress.ip_address(i["PrivateIpAddress"]) in subnet for i in instances)
        assert site.free_addresses() == free - 2
