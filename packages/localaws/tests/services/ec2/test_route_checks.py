"""Tests of services.ec2.route_checks."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")
ANYWHERE = "0.0.0.0/0"


def vpc(block: str = "10.0.0.0/16") -> str:
    return str(client("ec2").create_vpc(CidrBlock=block)["Vpc"]["VpcId"])


def subnet(vpc_id: str, block: str = "10.0.0.0/24") -> str:
    made = client("ec2").create_subnet(VpcId=vpc_id, CidrBlock=block)
    return str(made["Subnet"]["SubnetId"])


def table(vpc_id: str) -> str:
    return str(client("ec2").create_route_table(VpcId=vpc_id)["RouteTable"]["RouteTableId"])


def gateway(vpc_id: str | None) -> str:
    ec2 = client("ec2")
    made = str(ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"])
    if vpc_id is not None:
        ec2.attach_internet_gateway(InternetGatewayId=made, VpcId=vpc_id)
    return made


def interface(vpc_id: str) -> str:
    made = client("ec2").create_network_interface(SubnetId=subnet(vpc_id))
    return str(made["NetworkInterface"]["NetworkInterfaceId"])


def nat(vpc_id: str) -> str:
    made = client("ec2").create_nat_gateway(SubnetId=subnet(vpc_id), ConnectivityType="private")
    return str(made["NatGateway"]["NatGatewayId"])


def create(table_id: str, destination: str | None = ANYWHERE, **more: Any) -> Any:
    return client("ec2").create_route(**asked(table_id, destination, **more))


def asked(table_id: str, destination: str | None = ANYWHERE, **more: Any) -> dict[str, Any]:
    named = {} if destination is None else {"DestinationCidrBlock": destination}
    return {"RouteTableId": table_id, **named, **more}


def refused(table_id: str, destination: str | None = ANYWHERE, **more: Any) -> tuple[str, str]:
    found = refusal(client("ec2").create_route, **asked(table_id, destination, **more))
    return found[0], found[1]


@pytest.mark.parametrize("attached", [True, False])
def test_internet_gateway_is_attached_to_the_vpc(*, attached: bool) -> None:
    one = vpc()
    found, made = table(one), gateway(vpc() if attached else None)
    text = f"route table {found} and network gateway {made} belong to different networks"
    assert refused(found, GatewayId=made) == ("InvalidParameterValue", text)
    create(found, GatewayId=gateway(one))


@pytest.mark.parametrize(
    ("member", "make"), [("NatGatewayId", nat), ("NetworkInterfaceId", interface)]
)
def test_target_is_in_the_vpc(member: str, make: Any) -> None:
    one = vpc()
    found, elsewhere = table(one), make(vpc())
    code, text = refused(found, **{member: elsewhere})
    assert (code, elsewhere in text) == ("InvalidParameterValue", True)
    ours = make(one)
    create(found, **{member: ours})
    replace = client("ec2").replace_route
    change = {"RouteTableId": found, "DestinationCidrBlock": ANYWHERE, member: elsewhere}
    assert refusal(replace, **change)[0] == "InvalidParameterValue"
    replace(**{**change, member: ours})


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ({"GatewayId": "eni-0123456789abcdef0"}, "InvalidGatewayID.NotFound"),
        ({"NatGatewayId": "nat-0123456789abcdef0"}, "InvalidNatGatewayID.NotFound"),
        ({"TransitGatewayId": "tgw-0123456789abcdef0"}, "InvalidTransitGatewayID.NotFound"),
        ({"CarrierGatewayId": "cagw-0123456789abcdef0"}, "InvalidCarrierGatewayID.NotFound"),
        ({"NetworkInterfaceId": "eni-0123456789abcdef0"}, "InvalidNetworkInterfaceID.NotFound"),
        (
            {"VpcPeeringConnectionId": "pcx-0123456789abcdef0"},
            "InvalidVpcPeeringConnectionID.NotFound",
        ),
        ({}, "MissingParameter"),
        (
            {"GatewayId": "igw-0123456789abcdef0", "NatGatewayId": "nat-0123456789abcdef0"},
            "InvalidParameterCombination",
        ),
    ],
)
def test_one_target_that_exists(target: dict[str, str], code: str) -> None:
    assert refused(table(vpc()), **target)[0] == code


def test_deleted_nat_gateway_is_no_target() -> None:
    one = vpc()
    made = nat(one)
    client("ec2").delete_nat_gateway(NatGatewayId=made)
    assert refused(table(one), NatGatewayId=made)[0] == "InvalidNatGatewayID.NotFound"


def test_transit_gateway_is_attached_to_the_vpc() -> None:
    ec2, one = client("ec2"), vpc()
    made = ec2.create_transit_gateway()["TransitGateway"]["TransitGatewayId"]
    found = table(one)
    assert refused(found, TransitGatewayId=made) == (
        "InvalidTransitGatewayID.NotFound",
        f"The transitGateway ID '{made}' does not exist.",
    )
    ec2.create_transit_gateway_vpc_attachment(
        TransitGatewayId=made, VpcId=one, SubnetIds=[subnet(one)]
    )
    create(found, TransitGatewayId=made)


def test_egress_only_gateway_takes_ipv6_of_its_vpc() -> None:
    ec2, one = client("ec2"), vpc()
    made = ec2.create_egress_only_internet_gateway(VpcId=one)["EgressOnlyInternetGateway"]
    target = {"EgressOnlyInternetGatewayId": made["EgressOnlyInternetGatewayId"]}
    assert refused(table(one), **target)[0] == "InvalidParameterValue"
    assert refused(table(vpc()), None, DestinationIpv6CidrBlock="::/0", **target)[0] == (
        "InvalidParameterValue"
    )
    create(table(one), None, DestinationIpv6CidrBlock="::/0", **target)


def test_destinations() -> None:
    one = vpc()
    found, target = table(one), {"NetworkInterfaceId": interface(one)}
    assert refused(found, None, **target)[0] == "MissingParameter"
    assert refused(found, DestinationIpv6CidrBlock="::/0", **target)[0] == (
        "InvalidParameterCombination"
    )
    for block in ("169.254.168.0/22", "169.254.169.254/32"):
        assert refused(found, block, **target)[0] == "InvalidParameterValue"
    create(found, "169.254.0.0/16", **target)


@pytest.mark.parametrize("again", [ANYWHERE, "10.0.0.0/16", "::/0"])
def test_destination_of_an_existing_route(again: str) -> None:
    one = vpc()
    found, target = table(one), {"NetworkInterfaceId": interface(one)}
    create(found, **target)
    create(found, None, DestinationIpv6CidrBlock="::/0", **target)
    member = "DestinationIpv6CidrBlock" if ":" in again else "DestinationCidrBlock"
    assert refused(found, None, **{member: again}, **target) == (
        "RouteAlreadyExists",
        f"The route identified by {again} already exists.",
    )


def test_route_within_the_vpc() -> None:
    one = vpc()
    found, inside = table(one), {"NetworkInterfaceId": interface(one)}
    assert refused(found, "10.0.9.0/24", **inside)[0] == "InvalidParameterValue"
    assert refused(found, "10.0.0.0/24", GatewayId=gateway(one))[0] == "InvalidParameterValue"
    create(found, "10.0.0.0/24", **inside)
    create(found, "10.0.0.0/8", **inside)


def test_local_route_is_not_deleted() -> None:
    found = table(vpc())
    delete = client("ec2").delete_route
    code, text = refusal(delete, **asked(found, "10.0.0.0/16"))[:2]
    assert (code, text) == (
        "InvalidParameterValue",
        f"cannot remove local route 10.0.0.0/16 in route table {found}",
    )
    assert refusal(delete, **asked(found))[0] == "InvalidRoute.NotFound"


def test_subnet_has_one_table() -> None:
    one = vpc()
    first, second, place = table(one), table(one), subnet(one)
    associate = client("ec2").associate_route_table
    made = associate(RouteTableId=first, SubnetId=place)["AssociationId"]
    assert associate(RouteTableId=first, SubnetId=place)["AssociationId"] == made
    assert refusal(associate, RouteTableId=second, SubnetId=place)[:2] == (
        "Resource.AlreadyAssociated",
        f"the specified association for route table {second} conflicts with an existing "
        "association",
    )


def test_associations_are_within_a_vpc() -> None:
    ec2, one, other = client("ec2"), vpc(), vpc()
    associate = ec2.associate_route_table
    for target in ({"SubnetId": subnet(other)}, {"GatewayId": gateway(other)}):
        assert refusal(associate, RouteTableId=table(one), **target)[0] == "InvalidParameterValue"
    made = associate(RouteTableId=table(one), SubnetId=subnet(one))["AssociationId"]
    replace = ec2.replace_route_table_association
    change = {"AssociationId": made, "RouteTableId": table(other)}
    assert refusal(replace, **change)[0] == "InvalidParameterValue"
    assert replace(**{**change, "RouteTableId": table(one)})["NewAssociationId"] != made


def test_main_association_stays() -> None:
    ec2, one = client("ec2"), vpc()
    (found,) = ec2.describe_route_tables(Filters=[{"Name": "vpc-id", "Values": [one]}])[
        "RouteTables"
    ]
    main = found["Associations"][0]["RouteTableAssociationId"]
    assert refusal(ec2.disassociate_route_table, AssociationId=main)[:2] == (
        "InvalidParameterValue",
        f"cannot disassociate the main route table association {main}",
    )
