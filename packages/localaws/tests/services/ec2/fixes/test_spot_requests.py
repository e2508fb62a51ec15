"""Tests of services.ec2.fixes.spot_requests."""

from __future__ import annotations

from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import amazon_image_id, client


def test_spot_request_has_a_monitoring_state(aws: Runtime) -> None:
    ec2 = client("ec2")
    image = amazon_image_id()
    for wanted in ({}, {"Monitoring": {"Enabled": True}}):
        specification = {"ImageId": image, "InstanceType": "m5.xlarge", **wanted}
        made = ec2.request_spot_instances(LaunchSpecification=specification)
        (request,) = made["SpotInstanceRequests"]
        assert request["LaunchSpecification"]["Monitoring"] == {"Enabled": bool(wanted)}
        found = ec2.describe_spot_instance_requests(
            SpotInstanceRequestIds=[request["SpotInstanceRequestId"]]
        )["SpotInstanceRequests"]
        assert found[0]["InstanceId"] == request["InstanceId"]


def test_spot_request_of_a_fleet_has_a_monitoring_state(aws: Runtime) -> None:
    ec2 = client("ec2")
    image = amazon_image_id()
    subnet = ec2.describe_subnets()["Subnets"][0]["SubnetId"]
    specification = {"ImageId": image, "InstanceType": "m5.xlarge", "SubnetId": subnet}
    ec2.request_spot_fleet(
        SpotFleetRequestConfig={
            "SpotPrice": "1",
            "TargetCapacity": 1,
            "AllocationStrategy": "lowestPrice",
            "IamFleetRole": "arn:aws:iam::123456789012:role/fleet",
            "LaunchSpecifications": [specification],
        }
    )
    (request,) = ec2.describe_spot_instance_requests()["SpotInstanceRequests"]
    assert request["LaunchSpecification"]["Monitoring"] == {"Enabled": False}
