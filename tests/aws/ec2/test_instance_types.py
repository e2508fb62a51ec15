"""Instance types, offerings and zones of EC2's answers."""

from __future__ import annotations

import pytest
from botocore.stub import Stubber
from moto import mock_aws

from clusterwright.aws.ec2 import instance_types
from clusterwright.aws.errors import AwsUnavailable
from clusterwright.aws.session import AwsSession


def test_types_are_requested_in_batches_of_a_hundred(session: AwsSession) -> None:
    names = [f"m5.size{i}" for i in range(150)]
    with Stubber(session.client("ec2")) as stub:
        for batch in (names[:100], names[100:]):
            stub.add_response(
                "describe_instance_types",
                {"InstanceTypes": [{"InstanceType": "m5.large"} for _ in batch]},
                {"InstanceTypes": batch},
            )
        assert len(list(instance_types.instance_types(session, names))) == 150
        stub.assert_no_pending_responses()


def test_unknown_type_is_not_an_empty_answer(session: AwsSession) -> None:
    with Stubber(session.client("ec2")) as stub:
        stub.add_client_error("describe_instance_types", "InvalidInstanceType")
        with pytest.raises(AwsUnavailable) as caught:
            list(instance_types.instance_types(session, ["p9.large"]))
    assert caught.value.code == "InvalidInstanceType"


def test_every_page_of_the_offerings_is_read(session: AwsSession) -> None:
    with Stubber(session.client("ec2")) as stub:
        for zone, token in (("use1-az1", "more"), ("use1-az2", None)):
            stub.add_response(
                "describe_instance_type_offerings",
                {
                    "InstanceTypeOfferings": [
                        {
                            "InstanceType": "p5.48xlarge",
                            "LocationType": "availability-zone-id",
                            "Location": zone,
                        }
                    ],
                    **({"NextToken": token} if token else {}),
                },
            )
        found = list(instance_types.offerings(session))
    assert found == [
        instance_types.Offering("p5.48xlarge", "use1-az1"),
        instance_types.Offering("p5.48xlarge", "use1-az2"),
    ]


def test_zones_of_a_region_are_listed() -> None:
    with mock_aws():
        found = instance_types.zones(AwsSession("us-east-1"))
    assert (
        instance_types.Zone("use1-az6", "us-east-1a", "availability-zone", "opt-in-not-required")
        in found
    )
