"""Tests of core.validation."""

from __future__ import annotations

from typing import Any

import boto3
import pytest
from botocore.config import Config

from clusterwright_localaws.core.validation import request_message, violations
from clusterwright_localaws.server import wire
from packages.localaws.tests.parts import REGION, build_site, client, refusal

# Validation here is the server's; botocore's own would refuse first.
UNCHECKED = Config(parameter_validation=False, retries={"total_max_attempts": 1})


def unchecked(service: str) -> Any:
    return boto3.client(
        service,
        REGION,
        aws_access_key_id="testing",
        aws_secret_access_key="testing",
        config=UNCHECKED,
    )


@pytest.mark.usefixtures("aws")
class TestValidation:
    """Requests are refused with the messages of AWS's front end."""

    def test_missing_required_member_is_refused(self) -> None:
        found, message = refusal(unchecked("sagemaker").create_cluster)
        assert found == "ValidationException"
        assert message == (
            "1 validation error detected: Value null at 'clusterName' failed to satisfy "
            "constraint: Member must not be null"
        )

    def test_all_errors_are_reported_at_once(self) -> None:
        group = {"InstanceGroupName": "-", "InstanceType": "ml.p9.huge", "InstanceCount": -1}
        found, message = refusal(
            unchecked("sagemaker").create_cluster, ClusterName="c", InstanceGroups=[group]
        )
        assert found == "ValidationException"
        at = "instanceGroups.1.member"
        for part in (
            "validation errors detected: ",
            f"Value '-' at '{at}.instanceGroupName' failed to satisfy constraint: Member must "
            "satisfy regular expression pattern",
            f"Value 'ml.p9.huge' at '{at}.instanceType' failed to satisfy constraint: Member must "
            "satisfy enum value set",
            f"Value '-1' at '{at}.instanceCount' failed to satisfy constraint: Member must have "
            "value greater than or equal to 0",
        ):
            assert part in message

    def test_too_long_string_is_refused(self) -> None:
        found, message = refusal(client("sagemaker").describe_cluster, ClusterName="c" * 300)
        assert found == "ValidationException"
        assert "'clusterName' failed to satisfy constraint" in message

    def test_value_that_is_not_a_number_is_refused(self) -> None:
        found, message = refusal(
            unchecked("fsx").create_file_system,
            FileSystemType="LUSTRE",
            StorageCapacity="much",
            SubnetIds=["subnet-1"],
        )
        assert found == "SerializationException"
        assert message

    def test_requests_to_moto_are_validated(self) -> None:
        found, message = refusal(unchecked("ec2").create_subnet, CidrBlock="10.0.0.0/24")
        assert found == "MissingParameter"
        assert message == "The request must contain the parameter VpcId"
        found, message = refusal(unchecked("iam").create_role, RoleName="a role")
        assert found == "ValidationError"
        found, message = refusal(unchecked("ssm").put_parameter, Name="/a", Value="b", Type="Num")
        assert found == "ValidationException"
        assert "[String, StringList, SecureString]" in message

    def test_refused_request_changes_nothing(self) -> None:
        site = build_site()
        free = site.free_addresses()
        request = site.request(site.group("gpu", 2), NodeRecovery="Perhaps")
        assert refusal(unchecked("sagemaker").create_cluster, **request)[0] == (
            "ValidationException"
        )
        assert client("sagemaker").list_clusters()["ClusterSummaries"] == []
        assert site.free_addresses() == free


def test_messages_of_some_services_have_no_values() -> None:
    long = "Value 'it's' at 'a' failed to satisfy constraint: Member must not be null"
    assert request_message([long]) == f"1 validation error detected: {long}"
    assert request_message([long], with_values=False) == (
        "1 validation error detected: Value at 'a' failed to satisfy constraint: "
        "Member must not be null"
    )


def test_members_beyond_the_maximum_are_not_examined() -> None:
    shape = wire.service_model("ssm").operation_model("PutParameter").input_shape
    tags = [{"Key": "", "Value": "v"}] * 3_000
    found = violations(shape, {"Name": "n", "Value": "v", "Tags": tags})
    assert any("length less than or equal to 1000" in one for one in found)
    assert len(found) == 1_001
