"""A network created by a stack: what EC2 describes, and that deletion leaves nothing."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from packages.localaws.tests.cloudformation.stacks import (
    aws,
    create,
    delete,
    described,
    history,
    outputs,
    reason,
    resource,
    resources_of,
    template,
    update,
)
from packages.localaws.tests.handlers import own_tags
from packages.localaws.tests.services.ec2.network_template import NETWORK, VPC

pytestmark = pytest.mark.usefixtures("local")

SHOWN = {
    "Zone": {"Value": {"Fn::GetAtt": ["Nodes", "AvailabilityZone"]}},
    "DefaultGroup": {"Value": {"Fn::GetAtt": ["Vpc", "DefaultSecurityGroup"]}},
}


@pytest.fixture
def network() -> dict[str, str]:
    """The stack `net`; its physical ids."""
    aws("s3").create_bucket(Bucket="flow-logs")
    stack = create("net", template(NETWORK, Outputs=SHOWN))
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    return ids()


def ids() -> dict[str, str]:
    return {name: one["PhysicalResourceId"] for name, one in resources_of("net").items()}


def changed(**properties: Any) -> str:
    """The network with changed properties of some resources; None removes a property."""
    body = copy.deepcopy(NETWORK)
    for name, values in properties.items():
        for key, value in values.items():
            if value is None:
                body[name]["Properties"].pop(key, None)
            else:
                body[name]["Properties"][key] = value
    return template(body, Outputs=SHOWN)


def test_subnets_are_in_the_requested_zones(network: dict[str, str]) -> None:
    ec2 = aws("ec2")
    found = {
        subnet["SubnetId"]: subnet
        for subnet in ec2.describe_subnets(
            SubnetIds=[network[name] for name in ("Nodes", "Second", "Public")]
        )["Subnets"]
    }
    assert found[network["Nodes"]]["AvailabilityZoneId"] == "use1-az6"
    assert found[network["Nodes"]]["CidrBlock"] == "10.1.0.0/18"
    assert found[network["Second"]]["AvailabilityZone"] == "us-east-1b"
    assert found[network["Second"]]["CidrBlock"] == "10.0.16.0/20"
    assert found[network["Public"]]["MapPublicIpOnLaunch"]
    zones = {
        zone["ZoneId"]: zone["ZoneName"]
        for zone in ec2.describe_availability_zones()["AvailabilityZones"]
    }
    assert outputs(described("net"))["Zone"] == zones["use1-az6"]


def test_the_vpc_has_the_requested_properties(network: dict[str, str]) -> None:
    ec2 = aws("ec2")
    (vpc,) = ec2.describe_vpcs(VpcIds=[network["Vpc"]])["Vpcs"]
    blocks = {item["CidrBlock"] for item in vpc["CidrBlockAssociationSet"]}
    assert blocks == {"10.0.0.0/16", "10.1.0.0/16"}
    assert own_tags(vpc["Tags"]) == [{"Key": "Name", "Value": "training"}]
    automatic = {tag["Key"].rpartition(":")[2]: tag["Value"] for tag in vpc["Tags"]}
    assert (automatic["stack-name"], automatic["logical-id"]) == ("net", "Vpc")
    names = ec2.describe_vpc_attribute(VpcId=network["Vpc"], Attribute="enableDnsHostnames")
    assert names["EnableDnsHostnames"]["Value"] is True
    (group,) = ec2.describe_security_groups(
        Filters=[
            {"Name": "vpc-id", "Values": [network["Vpc"]]},
            {"Name": "group-name", "Values": ["default"]},
        ]
    )["SecurityGroups"]
    assert outputs(described("net"))["DefaultGroup"] == group["GroupId"]


def test_routes_match_the_template(network: dict[str, str]) -> None:
    tables = aws("ec2").describe_route_tables(
        RouteTableIds=[network["PublicTable"], network["PrivateTable"]]
    )["RouteTables"]
    routes = {
        table["RouteTableId"]: {
            route.get("DestinationCidrBlock") or route.get("DestinationPrefixListId"): route
            for route in table["Routes"]
        }
        for table in tables
    }
    outward = routes[network["PublicTable"]]["0.0.0.0/0"]
    assert outward["GatewayId"] == network["Internet"]
    private = routes[network["PrivateTable"]]
    assert private["0.0.0.0/0"]["NatGatewayId"] == network["Nat"]
    assert any(route.get("GatewayId") == network["S3"] for route in private.values())


def test_security_group_rules_match_the_template(network: dict[str, str]) -> None:
    (group,) = aws("ec2").describe_security_groups(GroupIds=[network["Group"]])["SecurityGroups"]
    inward = {permission["IpProtocol"]: permission for permission in group["IpPermissions"]}
    assert inward["tcp"]["FromPort"] == 443
    assert inward["tcp"]["IpRanges"] == [{"CidrIp": "10.0.0.0/16", "Description": "https"}]
    assert inward["-1"]["UserIdGroupPairs"][0]["GroupId"] == network["Group"]
    outward = group["IpPermissionsEgress"]
    assert any(item["IpRanges"] == [{"CidrIp": "0.0.0.0/0"}] for item in outward)
    pairs = [pair["GroupId"] for item in outward for pair in item["UserIdGroupPairs"]]
    assert pairs == [network["Group"]]


def test_endpoints_have_policies_groups_and_interfaces(network: dict[str, str]) -> None:
    ec2 = aws("ec2")
    gateway, interface = (
        ec2.describe_vpc_endpoints(VpcEndpointIds=[network[name]])["VpcEndpoints"][0]
        for name in ("S3", "Ssm")
    )
    assert json.loads(gateway["PolicyDocument"])["Statement"][0]["Action"] == "s3:*"
    assert [group["GroupId"] for group in interface["Groups"]] == [network["Group"]]
    (eni,) = ec2.describe_network_interfaces(NetworkInterfaceIds=interface["NetworkInterfaceIds"])[
        "NetworkInterfaces"
    ]
    assert eni["SubnetId"] == network["Nodes"]
    assert [group["GroupId"] for group in eni["Groups"]] == [network["Group"]]


def test_a_tag_changes_in_place(network: dict[str, str]) -> None:
    stack = update("net", changed(Vpc={"Tags": [{"Key": "Name", "Value": "other"}]}))
    assert stack["StackStatus"] == "UPDATE_COMPLETE"
    assert ids() == network
    touched = {name for name, status in history("net") if status == "UPDATE_COMPLETE"}
    assert touched == {"Vpc", "net"}


def test_changed_cidr_replaces_the_subnet_and_its_dependents(
    network: dict[str, str],
) -> None:
    stack = update("net", changed(Nodes={"CidrBlock": "10.1.64.0/18"}))
    assert stack["StackStatus"] == "UPDATE_COMPLETE"
    now = ids()
    assert {name for name in now if now[name] != network[name]} == {"Nodes"}
    ec2 = aws("ec2")
    (endpoint,) = ec2.describe_vpc_endpoints(VpcEndpointIds=[now["Ssm"]])["VpcEndpoints"]
    assert endpoint["SubnetIds"] == [now["Nodes"]]
    left = ec2.describe_subnets(Filters=[{"Name": "vpc-id", "Values": [now["Vpc"]]}])["Subnets"]
    assert {item["SubnetId"] for item in left} == {now["Nodes"], now["Second"], now["Public"]}


def test_security_group_rules_are_updated_in_place(network: dict[str, str]) -> None:
    rules = [{"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "CidrIp": "10.0.0.0/16"}]
    assert (
        update("net", changed(Group={"SecurityGroupIngress": rules}))["StackStatus"]
        == "UPDATE_COMPLETE"
    )
    (group,) = aws("ec2").describe_security_groups(GroupIds=[network["Group"]])["SecurityGroups"]
    ports = {
        permission.get("FromPort")
        for permission in group["IpPermissions"]
        if permission["IpProtocol"] == "tcp"
    }
    assert ports == {22}
    # The rule that is a separate resource still exists.
    assert any(permission["UserIdGroupPairs"] for permission in group["IpPermissions"])


def test_ec2_error_fails_the_stack_and_rolls_back() -> None:
    before = aws("ec2").describe_vpcs()["Vpcs"]
    overlapping = {
        "Vpc": NETWORK["Vpc"],
        "A": resource("AWS::EC2::Subnet", {"VpcId": VPC, "CidrBlock": "10.0.0.0/18"}),
        "B": resource(
            "AWS::EC2::Subnet", {"VpcId": VPC, "CidrBlock": "10.0.0.0/20"}, DependsOn="A"
        ),
    }
    stack = create("net", template(overlapping))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    message = reason("net", "B", "CREATE_FAILED")
    assert "The CIDR '10.0.0.0/20' conflicts with another subnet" in message
    assert "Service: Ec2, Status Code: 400" in message
    assert aws("ec2").describe_vpcs()["Vpcs"] == before


def test_ec2_error_fails_the_deletion(network: dict[str, str]) -> None:
    ec2 = aws("ec2")
    mine = ec2.create_network_interface(SubnetId=network["Nodes"])["NetworkInterface"]
    stack = delete("net")
    assert stack["StackStatus"] == "DELETE_FAILED"
    assert "Nodes" in stack["StackStatusReason"]
    assert "has dependencies" in reason(stack["StackId"], "Nodes", "DELETE_FAILED")
    ec2.delete_network_interface(NetworkInterfaceId=mine["NetworkInterfaceId"])
    assert delete("net")["StackStatus"] == "DELETE_COMPLETE"


def test_deletion_leaves_no_resource() -> None:
    def everything() -> dict[str, list[str]]:
        ec2 = aws("ec2")
        return {
            "vpcs": [vpc["VpcId"] for vpc in ec2.describe_vpcs()["Vpcs"]],
            "subnets": [subnet["SubnetId"] for subnet in ec2.describe_subnets()["Subnets"]],
            "tables": [
                route_table["RouteTableId"]
                for route_table in ec2.describe_route_tables()["RouteTables"]
            ],
            "groups": [
                security_group["GroupId"]
                for security_group in ec2.describe_security_groups()["SecurityGroups"]
            ],
            "interfaces": [
                interface["NetworkInterfaceId"]
                for interface in ec2.describe_network_interfaces()["NetworkInterfaces"]
            ],
            "addresses": [
                address["PublicIp"] for address in ec2.describe_addresses()["Addresses"]
            ],
            "endpoints": [
                vpc_endpoint["VpcEndpointId"]
                for vpc_endpoint in ec2.describe_vpc_endpoints()["VpcEndpoints"]
                # Like NAT gateways, endpoints are described for a while after their deletion.
                if vpc_endpoint["State"] != "deleted"
            ],
            "gateways": [
                gateway["InternetGatewayId"]
                for gateway in ec2.describe_internet_gateways()["InternetGateways"]
            ],
            "flows": [flow_log["FlowLogId"] for flow_log in ec2.describe_flow_logs()["FlowLogs"]],
        }

    aws("s3").create_bucket(Bucket="flow-logs")
    before = everything()
    create("net", template(NETWORK, Outputs=SHOWN))
    assert everything() != before
    assert delete("net")["StackStatus"] == "DELETE_COMPLETE"
    assert everything() == before
