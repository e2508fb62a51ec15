"""Tests of services.ec2.endpoint_checks."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.core.simplifications import ENDPOINT_SERVICES
from packages.localaws.tests.parts import client, refusal

pytestmark = pytest.mark.usefixtures("aws")
S3 = "com.amazonaws.us-east-1.s3"
LOGS = "com.amazonaws.us-east-1.logs"


def vpc(*, names: bool = True) -> str:
    ec2 = client("ec2")
    found = str(ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"])
    if names:
        ec2.modify_vpc_attribute(VpcId=found, EnableDnsHostnames={"Value": True})
    return found


def subnet(vpc_id: str, third: int = 0, zone: str = "us-east-1a") -> str:
    made = client("ec2").create_subnet(
        VpcId=vpc_id, CidrBlock=f"10.0.{third}.0/24", AvailabilityZone=zone
    )
    return str(made["Subnet"]["SubnetId"])


def table(vpc_id: str) -> str:
    return str(client("ec2").create_route_table(VpcId=vpc_id)["RouteTable"]["RouteTableId"])


def group(vpc_id: str) -> str:
    made = client("ec2").create_security_group(VpcId=vpc_id, GroupName="a", Description="a")
    return str(made["GroupId"])


def create(vpc_id: str, service: str, kind: str | None = None, **more: Any) -> Any:
    return client("ec2").create_vpc_endpoint(**asked(vpc_id, service, kind, **more))["VpcEndpoint"]


def asked(vpc_id: str, service: str, kind: str | None = None, **more: Any) -> dict[str, Any]:
    named = {} if kind is None else {"VpcEndpointType": kind}
    return {"VpcId": vpc_id, "ServiceName": service, **named, **more}


def refused(vpc_id: str, service: str, kind: str | None = None, **more: Any) -> tuple[str, str]:
    found = refusal(client("ec2").create_vpc_endpoint, **asked(vpc_id, service, kind, **more))
    return found[0], found[1]


def test_service_must_exist() -> None:
    name = "com.amazonaws.us-east-1.secretmanager"
    assert refused(vpc(), name, "Interface") == (
        "InvalidServiceName",
        f"The Vpc Endpoint Service '{name}' does not exist",
    )


def test_unknown_service_is_accepted_with_a_warning(aws: Runtime) -> None:
    said: list[str] = []
    aws.log = said.append
    create(vpc(), S3)
    assert said == []
    name = "com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0"
    assert create(vpc(), name, "Interface")["ServiceName"] == name
    assert [ENDPOINT_SERVICES in one for one in said] == [True]


@pytest.mark.parametrize(
    ("service", "kind", "types"),
    [
        (LOGS, None, "[Interface]"),
        (LOGS, "Gateway", "[Interface]"),
        (S3, "GatewayLoadBalancer", "[Gateway, Interface]"),
        ("com.amazonaws.us-east-1.s3express", "Interface", "[Gateway]"),
    ],
)
def test_type_must_be_one_of_the_service(service: str, kind: str | None, types: str) -> None:
    assert refused(vpc(), service, kind) == (
        "InvalidParameter",
        f"Endpoint type ({kind or 'Gateway'}) does not match available service types ({types}).",
    )


def test_members_belong_to_types() -> None:
    one = vpc()
    code, text = refused(one, S3, SubnetIds=[subnet(one)])
    assert (code, text[:10]) == ("InvalidParameter", "Subnet IDs")
    code, text = refused(one, LOGS, "Interface", RouteTableIds=[table(one)])
    assert (code, text[:15]) == ("InvalidParameter", "Route table IDs")
    provider = "com.amazonaws.vpce.us-east-1.vpce-svc-0123456789abcdef0"
    two = [subnet(one, 1), subnet(one, 2, "us-east-1b")]
    assert refused(one, provider, "GatewayLoadBalancer", SubnetIds=two)[0] == "InvalidParameter"


def test_resources_are_in_the_vpc() -> None:
    one, other = vpc(), vpc()
    for members in ({"SubnetIds": [subnet(other)]}, {"SecurityGroupIds": [group(other)]}):
        code, text = refused(one, LOGS, "Interface", **members)
        assert code == "InvalidParameter"
        assert one in text
    code, text = refused(one, S3, RouteTableIds=[table(other)])
    assert (code, one in text) == ("InvalidParameter", True)
    unknown = ["subnet-0123456789abcdef0"]
    assert refused(one, LOGS, "Interface", SubnetIds=unknown)[0] == "InvalidSubnetID.NotFound"


def test_zones_are_different() -> None:
    one = vpc()
    subnets = [subnet(one, number) for number in range(2)]
    code, text = refused(one, LOGS, "Interface", SubnetIds=subnets)
    assert code == "DuplicateSubnetsInSameZone"
    assert subnets[1] in text
    made = create(one, LOGS, "Interface", SubnetIds=subnets[:1])["VpcEndpointId"]
    modify = client("ec2").modify_vpc_endpoint
    change = {"VpcEndpointId": made, "AddSubnetIds": subnets[1:]}
    assert refusal(modify, **change)[0] == "DuplicateSubnetsInSameZone"
    assert modify(**change, RemoveSubnetIds=subnets[:1])["Return"]


def test_one_route_of_a_service_in_a_table() -> None:
    one = vpc()
    tables = [table(one), table(one)]
    create(one, S3, RouteTableIds=tables[:1])
    code, text = refused(one, S3, RouteTableIds=tables)
    assert code == "RouteAlreadyExists"
    assert f"route table {tables[0]} already has a route with destination-prefix-list-id" in text
    other = create(one, S3, RouteTableIds=tables[1:])["VpcEndpointId"]
    modify = client("ec2").modify_vpc_endpoint
    change = {"VpcEndpointId": other, "AddRouteTableIds": tables}
    assert refusal(modify, **change)[0] == "RouteAlreadyExists"
    assert modify(VpcEndpointId=other, AddRouteTableIds=tables[1:])["Return"]
    create(one, "com.amazonaws.us-east-1.dynamodb", RouteTableIds=tables)


def test_private_names_need_the_attributes_of_the_vpc() -> None:
    one = vpc(names=False)
    code, text = refused(one, LOGS, "Interface", PrivateDnsEnabled=True)
    assert (code, one in text) == ("InvalidParameter", True)
    create(one, LOGS, "Interface", PrivateDnsEnabled=False)


def test_private_names_are_of_one_endpoint() -> None:
    one = vpc()
    first = create(one, LOGS, "Interface", PrivateDnsEnabled=True)["VpcEndpointId"]
    code, text = refused(one, LOGS, "Interface", PrivateDnsEnabled=True)
    assert code == "InvalidParameter"
    assert text.endswith(f"DNS domain for logs.us-east-1.amazonaws.com in the VPC {one}")
    other = create(one, LOGS, "Interface", PrivateDnsEnabled=False)["VpcEndpointId"]
    modify = client("ec2").modify_vpc_endpoint
    change = {"VpcEndpointId": other, "PrivateDnsEnabled": True}
    assert refusal(modify, **change)[0] == "InvalidParameter"
    client("ec2").delete_vpc_endpoints(VpcEndpointIds=[first])
    assert modify(**change)["Return"]


def test_names_for_inbound_resolvers_need_a_gateway() -> None:
    one = vpc()
    options = {"DnsOptions": {"PrivateDnsOnlyForInboundResolverEndpoint": True}}
    code, text = refused(one, S3, "Interface", PrivateDnsEnabled=True, **options)
    assert (code, "must have a Gateway endpoint" in text) == ("InvalidParameter", True)
    assert refused(one, S3, **options)[0] == "InvalidParameter"
    create(one, S3)
    create(one, S3, "Interface", PrivateDnsEnabled=True, **options)


def test_dry_run_is_checked() -> None:
    assert refused(vpc(), LOGS, "Gateway", DryRun=True)[0] == "InvalidParameter"
    assert refused(vpc(), LOGS, "Interface", DryRun=True)[0] == "DryRunOperation"
