"""Tests of services.ec2.fixes.flow_log_destinations."""

from __future__ import annotations

from typing import Any

import pytest

from packages.localaws.tests.parts import client, refusal


@pytest.mark.usefixtures("aws")
def test_a_folder_of_a_bucket() -> None:
    ec2, s3 = client("ec2"), client("s3")
    s3.create_bucket(Bucket="one")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    asked: dict[str, Any] = {
        "ResourceIds": [vpc],
        "ResourceType": "VPC",
        "TrafficType": "ALL",
        "LogDestinationType": "s3",
    }
    destinations = ["arn:aws:s3:::one", "arn:aws:s3:::one/folder/"]
    for destination in destinations:
        made = ec2.create_flow_logs(**asked, LogDestination=destination)
        assert len(made["FlowLogIds"]) == 1
        again = refusal(ec2.create_flow_logs, **asked, LogDestination=destination)
        assert again[0] == "FlowLogAlreadyExists"
    found = ec2.describe_flow_logs()["FlowLogs"]
    assert sorted(one["LogDestination"] for one in found) == destinations
    made = ec2.create_flow_logs(**asked, LogDestination="arn:aws:s3:::none/folder/")
    assert made["Unsuccessful"][0]["Error"]["Message"] == "LogDestination: none does not exist"
    both = {"LogDestination": destinations[0], "LogGroupName": "group"}
    assert refusal(ec2.create_flow_logs, **asked, **both) == (
        "InvalidParameter",
        "Please only provide LogGroupName or only provide LogDestination.",
    )
