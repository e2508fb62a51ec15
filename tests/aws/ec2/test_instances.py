"""Pending and running instances."""

from __future__ import annotations

from typing import Any

from botocore.stub import Stubber

from clusterwright.aws.ec2.instances import Instance, karpenter_instances, running
from clusterwright.aws.session import AwsSession


def answer(instance_type: str, **more: Any) -> dict[str, Any]:
    return {
        "InstanceType": instance_type,
        "CpuOptions": {"CoreCount": 96, "ThreadsPerCore": 2},
        **more,
    }


def test_instances_with_their_owner_and_lifecycle(session: AwsSession) -> None:
    stack = {"Key": "aws:cloudformation:stack-name", "Value": "train"}
    node = {"Key": "eks:cluster-name", "Value": "train-eks"}
    asked = {"Filters": [{"Name": "instance-state-name", "Values": ["pending", "running"]}]}
    with Stubber(session.client("ec2")) as stub:
        stub.add_response(
            "describe_instances",
            {"Reservations": [{"Instances": [answer("m5.large")]}], "NextToken": "more"},
            asked,
        )
        stub.add_response(
            "describe_instances",
            {
                "Reservations": [
                    {
                        "Instances": [
                            answer("p5.48xlarge", InstanceLifecycle="spot", Tags=[stack, node]),
                            answer("p5.48xlarge", CapacityReservationId="cr-1", Tags=[]),
                        ]
                    }
                ]
            },
            {**asked, "NextToken": "more"},
        )
        assert running(session) == (
            Instance("m5.large", 192, "on-demand", None),
            Instance("p5.48xlarge", 192, "spot", "train", None, "train-eks"),
            Instance("p5.48xlarge", 192, "on-demand", None, "cr-1"),
        )


def test_instances_that_karpenter_launched(session: AwsSession) -> None:
    with Stubber(session.client("ec2")) as stub:
        stub.add_response(
            "describe_instances", {"Reservations": [{"Instances": [{"InstanceId": "i-1"}]}]}
        )
        assert karpenter_instances(session, "prod") == ("i-1",)
