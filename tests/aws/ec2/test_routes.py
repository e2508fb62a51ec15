"""Route tables, endpoints, network ACLs and name servers of a VPC."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.stub import Stubber

from clusterwright.aws.ec2 import routes
from clusterwright.aws.ec2.routes import AclEntry, Route, RouteTable
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession

STACK = {"Key": "aws:cloudformation:stack-name", "Value": "network"}


@pytest.fixture
def stub(session: AwsSession) -> Iterator[Stubber]:
    with Stubber(session.client("ec2")) as stub:
        yield stub


def test_route_tables(session: AwsSession, stub: Stubber) -> None:
    stub.add_response(
        "describe_route_tables",
        {
            "RouteTables": [
                {
                    "RouteTableId": "rtb-1",
                    "VpcId": "vpc-1",
                    "Associations": [{"Main": True}, {"SubnetId": "subnet-1"}],
                    "Routes": [
                        {"DestinationCidrBlock": "10.0.0.0/16", "GatewayId": "local"},
                        {"DestinationPrefixListId": "pl-1", "GatewayId": "vpce-1"},
                        {
                            "DestinationCidrBlock": "0.0.0.0/0",
                            "NatGatewayId": "nat-1",
                            "State": "blackhole",
                        },
                        {"DestinationIpv6CidrBlock": "::/0"},
                    ],
                }
            ]
        },
    )
    assert routes.route_tables(session) == (
        RouteTable(
            "rtb-1",
            "vpc-1",
            True,
            ("subnet-1",),
            (
                Route("10.0.0.0/16", "local", "active"),
                Route("pl-1", "vpce-1", "active"),
                Route("0.0.0.0/0", "nat-1", "blackhole"),
                Route("", "", "active"),
            ),
        ),
    )


def test_a_route_with_a_new_state_is_unavailable(session: AwsSession, stub: Stubber) -> None:
    table = {"RouteTableId": "rtb-1", "VpcId": "vpc-1", "Routes": [{"State": "paused"}]}
    stub.add_response("describe_route_tables", {"RouteTables": [table]})
    with pytest.raises(AwsUnavailable, match="RouteState 'paused' is not known"):
        routes.route_tables(session)


def test_endpoints_that_exist(session: AwsSession, stub: Stubber) -> None:
    def endpoint(name: str, **more: Any) -> dict[str, Any]:
        return {"VpcEndpointId": name, "VpcId": "vpc-1", "ServiceName": "s3", **more}

    stub.add_response(
        "describe_vpc_endpoints",
        {
            "VpcEndpoints": [
                endpoint("vpce-1", State="Available", RouteTableIds=["rtb-1"], PolicyDocument=""),
                endpoint(
                    "vpce-2",
                    VpcEndpointType="Interface",
                    State="pending",
                    PrivateDnsEnabled=True,
                    SubnetIds=["subnet-1"],
                    Groups=[{"GroupId": "sg-1"}],
                    PolicyDocument="{}",
                    Tags=[STACK],
                ),
                *(endpoint("old", State=state) for state in ("deleted", "rejected", "expired")),
            ]
        },
    )
    gateway, interface = routes.endpoints(session)
    assert gateway == routes.Endpoint(
        "vpce-1", "vpc-1", "gateway", "s3", "available", False, (), (), ("rtb-1",), None, None
    )
    subnets, groups = ("subnet-1",), ("sg-1",)
    assert interface == routes.Endpoint(
        *("vpce-2", "vpc-1", "interface", "s3", "pending"),
        *(True, subnets, groups, (), "{}", "network"),
    )


def test_stacks_of_internet_gateways(session: AwsSession, stub: Stubber) -> None:
    answer = {"InternetGateways": [{"Tags": [STACK]}, {"InternetGatewayId": "igw-2"}]}
    stub.add_response("describe_internet_gateways", answer)
    assert routes.internet_gateway_stacks(session) == ("network", None)


def test_network_acls(session: AwsSession, stub: Stubber) -> None:
    stub.add_response(
        "describe_network_acls",
        {
            "NetworkAcls": [
                {
                    "NetworkAclId": "acl-1",
                    "VpcId": "vpc-1",
                    "IsDefault": True,
                    "Associations": [{"SubnetId": "subnet-1"}],
                    "Entries": [
                        {
                            "RuleNumber": 100,
                            "Egress": True,
                            "RuleAction": "allow",
                            "Protocol": "6",
                            "CidrBlock": "0.0.0.0/0",
                            "PortRange": {"From": 443, "To": 443},
                        },
                        {
                            "RuleNumber": 32767,
                            "Egress": False,
                            "RuleAction": "deny",
                            "Protocol": "-1",
                            "Ipv6CidrBlock": "::/0",
                        },
                    ],
                }
            ]
        },
    )
    assert routes.network_acls(session) == (
        routes.NetworkAcl(
            "acl-1",
            "vpc-1",
            True,
            ("subnet-1",),
            (
                AclEntry(100, True, True, "6", "0.0.0.0/0", 443, 443),
                AclEntry(32767, False, False, "-1", None, None, None),
            ),
        ),
    )


def test_the_resolver_is_the_default_name_server(session: AwsSession, stub: Stubber) -> None:
    for vpc in ({"DhcpOptionsId": "default"}, {"VpcId": "vpc-1"}):
        stub.add_response("describe_vpcs", {"Vpcs": [vpc]}, {"VpcIds": ["vpc-1"]})
        assert routes.name_servers(session, "vpc-1") == ("AmazonProvidedDNS",)


def test_name_servers_of_dhcp_options(session: AwsSession, stub: Stubber) -> None:
    stub.add_response("describe_vpcs", {"Vpcs": [{"DhcpOptionsId": "dopt-1"}]})
    configurations = [
        {"Key": "domain-name", "Values": [{"Value": "example.com"}]},
        {"Key": "domain-name-servers", "Values": [{"Value": "10.0.0.2"}, {"Value": "10.0.0.3"}]},
    ]
    stub.add_response(
        "describe_dhcp_options",
        {"DhcpOptions": [{"DhcpConfigurations": configurations}]},
        {"DhcpOptionsIds": ["dopt-1"]},
    )
    assert routes.name_servers(session, "vpc-1") == ("10.0.0.2", "10.0.0.3")


def test_a_vpc_that_does_not_exist(session: AwsSession, stub: Stubber) -> None:
    stub.add_client_error("describe_vpcs", "InvalidVpcID.NotFound")
    assert routes.name_servers(session, "vpc-1") is None
    stub.add_response("describe_vpcs", {"Vpcs": []})
    assert routes.name_servers(session, "vpc-1") is None


def test_a_subnet_without_an_explicit_table_uses_the_main_table() -> None:
    other = RouteTable("rtb-0", "vpc-0", True, ("subnet-1",), ())
    main = RouteTable("rtb-1", "vpc-1", True, (), ())
    explicit = RouteTable("rtb-2", "vpc-1", False, ("subnet-2",), ())
    tables = (other, main, explicit)
    assert routes.by_subnet(tables, "vpc-1", "subnet-1") is main
    assert routes.by_subnet(tables, "vpc-1", "subnet-2") is explicit
    assert routes.by_subnet((other, explicit), "vpc-1", "subnet-1") is None
