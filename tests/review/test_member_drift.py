"""Members of deployed resources that no template has."""

from __future__ import annotations

from typing import Any

import pytest

from clusterwright.aws.live_members import MEMBERS
from clusterwright.review.member_drift import DECLARED, member_drift
from clusterwright.review.physical_values import PhysicalValues
from clusterwright.review.resource_changes import resources_of
from clusterwright.review.results import SpecChange, UncheckedPart
from tests.review.templates import app, resource, stack

VPC, TOPIC, CLUSTER = "AWS::EC2::VPC", "AWS::SNS::Topic", "AWS::EKS::Cluster"
OTHER = {"Fn::ImportValue": "of another team"}
ROLE = "arn:aws:iam::111122223333:role/nodes"
RESOURCES = {
    "Vpc": resource(VPC),
    "Subnet": resource("AWS::EC2::Subnet"),
    "Topic": resource(TOPIC, Subscription=[{"Protocol": "email", "Endpoint": "a@example.com"}]),
    "Cluster": resource(CLUSTER),
    "Group": resource("AWS::EKS::Nodegroup"),
    "Role": resource("AWS::IAM::Role"),
    "Addon": resource("AWS::EKS::Addon", AddonName="vpc-cni"),
}
IDS = {
    ("n", "Vpc"): "vpc-1",
    ("n", "Subnet"): "subnet-1",
    ("n", "Topic"): "arn:aws:sns:us-east-1:111122223333:alarms",
    ("n", "Cluster"): "train",
    ("n", "Group"): "train/workers",
    ("n", "Role"): "nodes",
    ("n", "Addon"): "train|vpc-cni",
}
OWNERS = {
    VPC: ("Vpc", "vpc-1"),
    TOPIC: ("Topic", IDS["n", "Topic"]),
    CLUSTER: ("Cluster", "train"),
}
SERVICE_ROLE = "arn:aws:iam::111122223333:role/aws-service-role/eks.amazonaws.com/ForEKS"


def drift(
    kind: str, name: str, live: dict[str, str], **more: Any
) -> tuple[list[SpecChange], list[UncheckedPart]]:
    deployed = app(n=stack({**RESOURCES, **more}))
    values = PhysicalValues(deployed, IDS)
    there = {(kind, name): {OWNERS[kind][1]: live}}
    return member_drift(resources_of(deployed), values, IDS, there)


def test_each_reader_has_what_is_declared() -> None:
    assert MEMBERS.keys() == DECLARED.keys()


@pytest.mark.parametrize(
    ("kind", "name", "declared", "added"),
    [
        (VPC, "Subnets", ["subnet-1"], "subnet-2"),
        (VPC, "PeeringConnections", [], "pcx-1"),
        (
            VPC,
            "NetworkAclEntries",
            [
                "inbound: allow all traffic from 0.0.0.0/0",
                "outbound: allow all traffic to 0.0.0.0/0",
            ],
            "inbound: deny all traffic from 10.0.0.0/8",
        ),
        (TOPIC, "Subscriptions", ["email a@example.com"], "email b@example.com"),
        (CLUSTER, "AccessEntries", [ROLE, SERVICE_ROLE], "arn:aws:iam::111122223333:role/other"),
        (CLUSTER, "Addons", ["vpc-cni"], "kube-proxy"),
        (CLUSTER, "Nodegroups", ["workers"], "more"),
        (CLUSTER, "PodIdentities", [], "default/other"),
    ],
)
def test_a_member_that_was_added(kind: str, name: str, declared: list[str], added: str) -> None:
    there = dict.fromkeys(declared, "there")
    assert drift(kind, name, there) == ([], [])
    path = f"n/{OWNERS[kind][0]}.{name}[{added}]"
    assert drift(kind, name, {**there, added: "new"}) == ([SpecChange(path, None, "new")], [])


def test_a_subscription_that_was_deleted() -> None:
    path = "n/Topic.Subscriptions[email a@example.com]"
    assert drift(TOPIC, "Subscriptions", {}) == ([SpecChange(path, "there", "deleted")], [])


def test_what_only_cloudformation_knows_is_listed() -> None:
    more = {"More": resource("AWS::EC2::Subnet")}  # without a physical id
    found, (part,) = drift(VPC, "Subnets", {"subnet-2": "10.0.1.0/24"}, **more)
    assert (found, part.what) == ([], "what was added to n/Vpc.Subnets")
    topic = resource(TOPIC, Subscription=[{"Protocol": "sqs", "Endpoint": OTHER}])
    found, (part,) = drift(TOPIC, "Subscriptions", {"sqs x": "subscribed"}, Topic=topic)
    assert (found, part.what) == ([], "what was added to n/Topic.Subscriptions")


def test_a_resource_that_is_not_listed_is_not_judged() -> None:
    deployed = app(n=stack(RESOURCES))
    values = PhysicalValues(deployed, IDS)
    assert member_drift(resources_of(deployed), values, IDS, {(CLUSTER, "Addons"): {}}) == ([], [])
