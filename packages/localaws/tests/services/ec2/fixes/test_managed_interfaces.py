"""Tests of services.ec2.fixes.managed_interfaces."""

from __future__ import annotations

from typing import Any

from packages.localaws.tests.parts import Site, client, refusal


class TestManagedInterfaces:
    def endpoint(self, site: Site, **more: Any) -> dict[str, Any]:
        request = {
            "VpcId": site.vpc_id,
            "ServiceName": "com.amazonaws.us-east-1.ssm",
            "VpcEndpointType": "Interface",
            "SubnetIds": [site.subnet_id],
            **more,
        }
        made: dict[str, Any] = client("ec2").create_vpc_endpoint(**request)["VpcEndpoint"]
        return made

    def interfaces(self, endpoint_id: str) -> dict[str, dict[str, Any]]:
        (vpc_endpoint,) = client("ec2").describe_vpc_endpoints(VpcEndpointIds=[endpoint_id])[
            "VpcEndpoints"
        ]
        found = client("ec2").describe_network_interfaces(
            NetworkInterfaceIds=vpc_endpoint["NetworkInterfaceIds"]
        )["NetworkInterfaces"]
        return {each["SubnetId"]: each for each in found}

    def test_endpoint_interfaces_have_its_security_groups(self, site: Site) -> None:
        made = self.endpoint(site, SecurityGroupIds=[site.group_id])
        eni = self.interfaces(made["VpcEndpointId"])[site.subnet_id]
        assert [group["GroupId"] for group in eni["Groups"]] == [site.group_id]
        found, _ = refusal(client("ec2").delete_security_group, GroupId=site.group_id)
        assert found == "DependencyViolation"
        client("ec2").delete_vpc_endpoints(VpcEndpointIds=[made["VpcEndpointId"]])
        client("ec2").delete_security_group(GroupId=site.group_id)

    def test_endpoint_without_groups_has_the_default_group(self, site: Site) -> None:
        made = self.endpoint(site)
        (eni,) = self.interfaces(made["VpcEndpointId"]).values()
        assert [group["GroupName"] for group in eni["Groups"]] == ["default"]

    def test_endpoint_interfaces_follow_its_subnets(self, site: Site) -> None:
        ec2 = client("ec2")
        other = ec2.create_subnet(
            VpcId=site.vpc_id, CidrBlock="10.0.200.0/24", AvailabilityZoneId="use1-az4"
        )["Subnet"]["SubnetId"]
        made = self.endpoint(site)["VpcEndpointId"]
        ec2.modify_vpc_endpoint(VpcEndpointId=made, AddSubnetIds=[other])
        assert set(self.interfaces(made)) == {site.subnet_id, other}
        ec2.modify_vpc_endpoint(VpcEndpointId=made, RemoveSubnetIds=[site.subnet_id])
        assert set(self.interfaces(made)) == {other}
        ec2.modify_vpc_attribute(VpcId=site.vpc_id, EnableDnsHostnames={"Value": True})
        ec2.modify_vpc_endpoint(VpcEndpointId=made, PrivateDnsEnabled=True)
        (vpc_endpoint,) = ec2.describe_vpc_endpoints(VpcEndpointIds=[made])["VpcEndpoints"]
        assert vpc_endpoint["PrivateDnsEnabled"]

    def test_a_gateway_endpoint_follows_its_route_tables(self, site: Site) -> None:
        ec2 = client("ec2")
        first, second = (
            ec2.create_route_table(VpcId=site.vpc_id)["RouteTable"]["RouteTableId"]
            for _ in range(2)
        )

        def routed() -> set[str]:
            tables = ec2.describe_route_tables(RouteTableIds=[first, second])["RouteTables"]
            return {
                table["RouteTableId"]
                for table in tables
                if any(route.get("GatewayId") == made for route in table["Routes"])
            }

        made = self.endpoint(
            site,
            ServiceName="com.amazonaws.us-east-1.s3",
            VpcEndpointType="Gateway",
            SubnetIds=[],
            RouteTableIds=[first],
        )["VpcEndpointId"]
        assert routed() == {first}
        ec2.modify_vpc_endpoint(
            VpcEndpointId=made, AddRouteTableIds=[second], RemoveRouteTableIds=[first]
        )
        assert routed() == {second}

    def test_deleted_nat_gateway_releases_its_interface_and_address(self, site: Site) -> None:
        ec2 = client("ec2")
        free = site.free_addresses()
        address = ec2.allocate_address(Domain="vpc")["AllocationId"]
        gateway = ec2.create_nat_gateway(SubnetId=site.subnet_id, AllocationId=address)
        assert site.free_addresses() == free - 1
        ec2.delete_nat_gateway(NatGatewayId=gateway["NatGateway"]["NatGatewayId"])
        assert site.free_addresses() == free
        ec2.release_address(AllocationId=address)
