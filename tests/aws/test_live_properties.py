"""Live properties by type; the local AWS reads them in tests/cli/test_drift.py."""

from __future__ import annotations

from botocore.stub import Stubber

from clusterwright.aws.live_properties import READERS
from clusterwright.aws.session import AwsSession


def test_routes_that_somebody_created(session: AwsSession) -> None:
    routes = [
        {"DestinationCidrBlock": "10.0.0.0/16", "GatewayId": "local"},
        {"DestinationCidrBlock": "0.0.0.0/0", "NatGatewayId": "nat-1"},
        {"DestinationPrefixListId": "pl-1", "GatewayId": "vpce-1"},
    ]
    table = {
        "RouteTableId": "rtb-1",
        "VpcId": "vpc-1",
        "Routes": routes,
        "Associations": [{"SubnetId": "subnet-1"}, {"Main": True}],
    }
    with Stubber(session.client("ec2")) as stub:
        stub.add_response("describe_route_tables", {"RouteTables": [table]})
        found = READERS["AWS::EC2::RouteTable"](session, ["rtb-1", "rtb-2"])
    assert found == {
        "rtb-1": {
            "VpcId": "vpc-1",
            "Routes": {"0.0.0.0/0": "nat-1"},
            "Subnets": ["subnet-1"],
        }
    }


def test_endpoints_that_are_deleted_do_not_exist(session: AwsSession) -> None:
    answer = {
        "VpcEndpoints": [
            {"VpcEndpointId": "vpce-1", "State": "deleted"},
            {
                "VpcEndpointId": "vpce-2",
                "State": "available",
                "PolicyDocument": '{"Statement": []}',
                "Groups": [{"GroupId": "sg-1"}],
            },
        ]
    }
    with Stubber(session.client("ec2")) as stub:
        stub.add_response("describe_vpc_endpoints", answer)
        found = READERS["AWS::EC2::VPCEndpoint"](session, ["vpce-1", "vpce-2"])
    assert set(found) == {"vpce-2"}
    assert found["vpce-2"]["PolicyDocument"] == {"Statement": []}
    assert found["vpce-2"]["SecurityGroupIds"] == ["sg-1"]


def test_a_launch_template_that_is_gone(session: AwsSession) -> None:
    latest = {"LaunchTemplateVersions": [{"LaunchTemplateData": {"ImageId": "ami-1"}}]}
    with Stubber(session.client("ec2")) as stub:
        stub.add_response("describe_launch_template_versions", latest)
        stub.add_client_error(
            "describe_launch_template_versions", "InvalidLaunchTemplateId.NotFound"
        )
        found = READERS["AWS::EC2::LaunchTemplate"](session, ["lt-1", "lt-2"])
    assert found == {"lt-1": {"LaunchTemplateData": {"ImageId": "ami-1"}}}


def test_restricted_instance_groups_are_a_property_of_their_own(session: AwsSession) -> None:
    def group(name: str) -> dict[str, object]:
        return {"InstanceGroupName": name, "InstanceType": "ml.p5.48xlarge", "TargetCount": 4}

    answer = {
        "ClusterArn": "arn:aws:sagemaker:us-east-1:111122223333:cluster/abcdefghijkl",
        "ClusterStatus": "InService",
        "InstanceGroups": [group("workers")],
        "RestrictedInstanceGroups": [group("nova")],
    }
    with Stubber(session.client("sagemaker")) as stub:
        stub.add_response("describe_cluster", answer)
        found = READERS["AWS::SageMaker::Cluster"](session, ["train"])["train"]
    names = {
        name: [each["InstanceGroupName"] for each in found[name]]
        for name in ("InstanceGroups", "RestrictedInstanceGroups")
    }
    assert names == {"InstanceGroups": ["workers"], "RestrictedInstanceGroups": ["nova"]}
    assert "LifeCycleConfig" not in found["RestrictedInstanceGroups"][0]
