"""Additional network access of a change."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.review.assembly import Assembly
from clusterwright.review.network_exposure import wider_network
from tests.review.templates import analysis, app, resource, stack


def ingress(
    cidr: str, first: int | None = 22, last: int | None = 22, protocol: str = "tcp"
) -> Any:
    ports = {} if first is None else {"FromPort": first, "ToPort": last}
    return {"IpProtocol": protocol, "CidrIp": cidr, **ports}


def group(*rules: Any, **properties: Any) -> Assembly:
    body = resource(
        "AWS::EC2::SecurityGroup",
        GroupDescription="g",
        SecurityGroupIngress=list(rules),
        SecurityGroupEgress=[],
        **properties,
    )
    return app(a=stack({"G": body}))


def opened(before: Assembly, after: Assembly) -> list[str]:
    return [change.message for change in wider_network(analysis(before, after))]


def test_new_rule_is_reported_and_open_ranges_marked() -> None:
    assert opened(group(), group(ingress("0.0.0.0/0"))) == [
        "<G>: tcp port 22 from 0.0.0.0/0 (anywhere)"
    ]


@pytest.mark.parametrize(
    ("old", "new", "more"),
    [
        (ingress("10.0.0.0/8"), ingress("10.1.0.0/16"), False),
        (ingress("10.1.0.0/16"), ingress("10.0.0.0/8"), True),
        (ingress("10.0.0.0/8", 0, 1000), ingress("10.0.0.0/8", 22, 22), False),
        (ingress("10.0.0.0/8", 22, 22), ingress("10.0.0.0/8", 22, 23), True),
        (ingress("10.0.0.0/8", None, None, "-1"), ingress("10.0.0.0/8"), False),
        (ingress("10.0.0.0/8"), ingress("10.0.0.0/8", None, None, "-1"), True),
        (ingress("10.0.0.0/8"), ingress("10.0.0.0/8", 22, 22, "udp"), True),
    ],
)
def test_covered_rules_are_not_reported(old: Any, new: Any, more: bool) -> None:
    assert bool(opened(group(old), group(new))) is more


def test_separate_rule_resources_belong_to_their_group() -> None:
    rule = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "CidrIp": "10.0.0.0/8"}
    own = resource(
        "AWS::EC2::SecurityGroupIngress", GroupId={"Fn::GetAtt": ["G", "GroupId"]}, **rule
    )
    after = dict(group().stacks["a"].template["Resources"]) | {"Rule": own}
    assert opened(group(rule), app(a=stack(after))) == []
    assert opened(group(), app(a=stack(after))) == ["<G>: tcp port 22 from 10.0.0.0/8"]


def test_group_without_egress_rules_allows_all_egress() -> None:
    bare = app(a=stack({"G": resource("AWS::EC2::SecurityGroup", GroupDescription="g")}))
    assert opened(group(), bare) == ["<G>: everything to 0.0.0.0/0 (anywhere)"]


def test_gateways_routes_and_public_access_are_reported() -> None:
    closed = resource("AWS::EC2::Subnet", VpcId="v", MapPublicIpOnLaunch=False)
    wide = resource("AWS::EC2::Subnet", VpcId="v", MapPublicIpOnLaunch=True)
    route = resource(
        "AWS::EC2::Route", DestinationCidrBlock="0.0.0.0/0", NatGatewayId={"Ref": "Nat"}
    )
    nat = resource("AWS::EC2::NatGateway", SubnetId="s")
    found = opened(
        app(a=stack({"S": closed})), app(a=stack({"S": wide, "Nat": nat, "Route": route}))
    )
    assert found == [
        "MapPublicIpOnLaunch: instances get public addresses",
        "new: a NAT gateway: egress to the internet",
        "a route for 0.0.0.0/0 to <Nat>",
    ]


def test_public_bucket_is_reported() -> None:
    def bucket(on: bool) -> Assembly:
        names = ("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls")
        block = dict.fromkeys((*names, "RestrictPublicBuckets"), on)
        body = resource("AWS::S3::Bucket", PublicAccessBlockConfiguration=block)
        return app(a=stack({"B": body}))

    assert len(opened(bucket(True), bucket(False))) == 4
    assert opened(bucket(False), bucket(True)) == []
