"""Live properties against deployed templates."""

from __future__ import annotations

from typing import Any

from clusterwright.review.live_drift import live_drift
from clusterwright.review.results import SpecChange
from tests.review.templates import app, resource, stack

SUBNET = "AWS::EC2::Subnet"
ENDPOINT = "AWS::EC2::VPCEndpoint"
TABLE = "AWS::EC2::RouteTable"
IDS = {
    ("n", "Vpc"): "vpc-1",
    ("n", "Subnet"): "subnet-1",
    ("n", "Endpoint"): "vpce-1",
    ("n", "Table"): "rtb-1",
    ("n", "Route"): "r",
    ("n", "Association"): "a",
    ("n", "Gateway"): "igw-1",
    ("n", "Cluster"): "train",
}


def drift(live: Any, **resources: Any) -> tuple[tuple[SpecChange, ...], set[str]]:
    found, keys = live_drift(app(n=stack(resources)), IDS, live)
    return found, {name for _, name in keys}


def test_references_are_resolved_and_lists_have_no_order() -> None:
    endpoint = resource(
        ENDPOINT,
        VpcId={"Ref": "Vpc"},
        PrivateDnsEnabled=True,
        SubnetIds=[{"Ref": "Subnet"}, "subnet-2"],
        ServiceName={"Fn::Join": ["", ["com.amazonaws.", {"Ref": "AWS::Region"}, ".s3"]]},
        Tags=[{"Key": "a", "Value": "b"}],
    )
    there = {
        "VpcId": "vpc-1",
        "PrivateDnsEnabled": True,
        "SubnetIds": ["subnet-2", "subnet-1"],
        "ServiceName": "com.amazonaws.us-east-1.s3",
    }
    resources = {"Vpc": resource("AWS::EC2::VPC"), "Endpoint": endpoint}
    assert drift({ENDPOINT: {"vpce-1": there}}, **resources) == ((), {"Endpoint"})
    found, _ = drift(
        {ENDPOINT: {"vpce-1": {**there, "PrivateDnsEnabled": False, "SubnetIds": []}}}, **resources
    )
    assert found == (
        SpecChange("n/Endpoint.PrivateDnsEnabled", "true", "false"),
        SpecChange("n/Endpoint.SubnetIds", ["subnet-1", "subnet-2"], []),
    )


def test_a_resource_that_is_gone() -> None:
    found, _ = drift({SUBNET: {}}, Subnet=resource(SUBNET, CidrBlock="10.0.0.0/24"))
    assert found == (SpecChange("n/Subnet", "there", "deleted"),)


def test_types_that_were_not_read_are_not_compared() -> None:
    assert drift({}, Subnet=resource(SUBNET)) == ((), set())


def test_what_only_cloudformation_knows_is_not_compared() -> None:
    subnet = resource(SUBNET, CidrBlock={"Fn::Select": [0, {"Fn::Cidr": ["10.0.0.0/16", 4, 8]}]})
    assert drift({SUBNET: {"subnet-1": {"CidrBlock": "10.9.0.0/24"}}}, Subnet=subnet)[0] == ()


def test_items_with_names_are_matched() -> None:
    def group(name: str, count: int) -> dict[str, Any]:
        return {"InstanceGroupName": name, "InstanceCount": count}

    cluster = resource(
        "AWS::SageMaker::Cluster", InstanceGroups=[group("a", 1), group("b", 2), group("c", 3)]
    )
    live = {"InstanceGroups": [group("b", 4), group("a", 1), group("d", 1)]}
    found, _ = drift({"AWS::SageMaker::Cluster": {"train": live}}, Cluster=cluster)
    assert found == (
        SpecChange("n/Cluster.InstanceGroups[b].InstanceCount", "2", "4"),
        SpecChange("n/Cluster.InstanceGroups[c]", "there", "deleted"),
        SpecChange("n/Cluster.InstanceGroups[d]", None, "added"),
    )


def routes(**there: Any) -> tuple[tuple[SpecChange, ...], set[str]]:
    return drift(
        {TABLE: {"rtb-1": there}},
        Table=resource(TABLE, VpcId="vpc-1"),
        Gateway=resource("AWS::EC2::InternetGateway"),
        Route=resource(
            "AWS::EC2::Route",
            RouteTableId={"Ref": "Table"},
            DestinationCidrBlock="0.0.0.0/0",
            GatewayId={"Ref": "Gateway"},
        ),
        Association=resource(
            "AWS::EC2::SubnetRouteTableAssociation",
            RouteTableId={"Ref": "Table"},
            SubnetId="subnet-1",
        ),
    )


def test_routes_and_associations() -> None:
    same = {"VpcId": "vpc-1", "Routes": {"0.0.0.0/0": "igw-1"}, "Subnets": ["subnet-1"]}
    assert routes(**same) == ((), {"Table", "Route", "Association"})
    found, _ = routes(VpcId="vpc-1", Routes={"203.0.113.0/24": "igw-2"}, Subnets=[])
    assert set(found) == {
        SpecChange("n/Route.0.0.0.0/0", "igw-1", None),
        SpecChange("n/Association.SubnetId", "subnet-1", None),
        SpecChange("n/Table.routes.203.0.113.0/24", None, "igw-2"),
    }
    found, _ = routes(VpcId="vpc-1", Routes={"0.0.0.0/0": "eni-1"}, Subnets=["subnet-1"])
    assert found == (SpecChange("n/Route.0.0.0.0/0", "igw-1", "eni-1"),)


def test_what_aws_has_without_a_value_in_the_template() -> None:
    """Disabled alarms, an endpoint's policy, restricted groups: no property of a template."""
    alarm, cluster = "AWS::CloudWatch::Alarm", "AWS::SageMaker::Cluster"
    resources = {
        "Gateway": resource(alarm),
        "Endpoint": resource(ENDPOINT),
        "Cluster": resource(cluster),
    }
    anything = {"Effect": "Allow", "Action": "*", "Principal": "*", "Resource": "*"}
    live: dict[str, Any] = {
        alarm: {"igw-1": {"ActionsEnabled": True}},
        ENDPOINT: {"vpce-1": {"PolicyDocument": {"Statement": [anything]}}},
        cluster: {"train": {"RestrictedInstanceGroups": []}},
    }
    assert drift(live, **resources)[0] == ()
    live = {
        alarm: {"igw-1": {"ActionsEnabled": False}},
        ENDPOINT: {"vpce-1": {"PolicyDocument": {"Statement": []}}},
        cluster: {"train": {"RestrictedInstanceGroups": [{"InstanceGroupName": "nova"}]}},
    }
    assert {each.path for each in drift(live, **resources)[0]} == {
        "n/Gateway.ActionsEnabled",
        "n/Endpoint.PolicyDocument.Statement",
        "n/Cluster.RestrictedInstanceGroups",
    }
