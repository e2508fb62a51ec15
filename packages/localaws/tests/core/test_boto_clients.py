"""Clients that are answered in this process."""

from __future__ import annotations

import os
import threading

import boto3
import moto
import pytest
from botocore.exceptions import ClientError, ParamValidationError

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.boto_clients import client

ONE, OTHER = "111122223333", "444455556666"


def test_calls_are_answered_without_a_socket(socket_disabled: None) -> None:
    with local_aws():
        ec2 = client("ec2", account=ONE, region="us-east-1")
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]
        assert vpc["OwnerId"] == ONE


def test_client_uses_the_requested_account() -> None:
    with local_aws():
        for account in (ONE, OTHER):
            identity = client("sts", account=account, region="us-east-1").get_caller_identity()
            assert identity["Account"] == account
        client("s3", account=ONE, region="us-east-1").create_bucket(Bucket="mine")
        assert client("s3", account=OTHER, region="us-east-1").list_buckets()["Buckets"] == []


def test_client_uses_the_requested_region() -> None:
    with local_aws():
        made = client("sns", account=ONE, region="eu-north-1").create_topic(Name="x")["TopicArn"]
        assert made == f"arn:aws:sns:eu-north-1:{ONE}:x"
        assert client("sns", account=ONE, region="us-east-1").list_topics()["Topics"] == []


def test_account_of_the_environment_is_used_as_on_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ONE)
    with local_aws():
        assert boto3.client("sts", "us-east-1").get_caller_identity()["Account"] == ONE
    assert os.environ["AWS_ACCESS_KEY_ID"] == ONE


def test_other_credentials_of_the_environment_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
    with local_aws(account=OTHER):
        assert os.environ["AWS_ACCESS_KEY_ID"] != "AKIAIOSFODNN7EXAMPLE"
        assert boto3.client("sts", "us-east-1").get_caller_identity()["Account"] == OTHER
    assert os.environ["AWS_ACCESS_KEY_ID"] == "AKIAIOSFODNN7EXAMPLE"


@pytest.mark.parametrize(
    ("service", "method", "parameters"),
    [
        ("imagebuilder", "list_images", {"owner": "Amazon"}),
        ("savingsplans", "describe_savings_plans", {}),
        ("health", "describe_events", {}),
    ],
)
def test_unknown_service_is_refused(service: str, method: str, parameters: dict[str, str]) -> None:
    with local_aws():
        call = getattr(boto3.client(service, "us-east-1"), method)
        with pytest.raises(ClientError) as raised:
            call(**parameters)
    assert raised.value.response["Error"]["Code"] == "UnknownOperationException"
    assert raised.value.response["ResponseMetadata"]["RetryAttempts"] == 0


@pytest.mark.parametrize("account", ["", "1234", "AKIAIOSFODNN7EXAMPLE", "1111222233334"])
def test_account_must_have_twelve_digits(account: str) -> None:
    with pytest.raises(ValueError, match="an account is 12 digits"):
        client("ec2", account=account, region="us-east-1")


def test_clients_are_cached() -> None:
    first = client("ec2", account=ONE, region="us-east-1")
    assert first is client("ec2", account=ONE, region="us-east-1")
    assert first is not client("ec2", account=ONE, region="us-west-2")


@pytest.mark.parametrize("mocked", [False, True])
def test_each_call_is_executed_once(mocked: bool) -> None:
    """Also inside `mock_aws`, whose own hook would answer a second time."""
    with moto.mock_aws() if mocked else local_aws():
        sqs = client("sns", account=ONE, region="us-east-1")
        topic = sqs.create_topic(Name="x")["TopicArn"]
        for _ in range(3):
            sqs.subscribe(TopicArn=topic, Protocol="email", Endpoint="a@example.com")
        ec2 = client("ec2", account=ONE, region="us-east-1")
        before = len(ec2.describe_vpcs()["Vpcs"])
        ec2.create_vpc(CidrBlock="10.9.0.0/16")
        assert len(ec2.describe_vpcs()["Vpcs"]) == before + 1


def test_error_has_the_message_of_the_api() -> None:
    with local_aws():
        ec2 = client("ec2", account=ONE, region="us-east-1")
        with pytest.raises(ClientError) as refused:
            ec2.delete_vpc(VpcId="vpc-00000000000000000")
        assert refused.value.response["Error"]["Code"] == "InvalidVpcID.NotFound"
        # The refusing service in a stack's event.
        assert refused.value.response["ResponseMetadata"]["ServiceId"] == "EC2"


def test_botocore_validates_parameters() -> None:
    with local_aws(), pytest.raises(ParamValidationError):
        client("ec2", account=ONE, region="us-east-1").create_vpc(CidrBlock=5)


def test_unimplemented_operation_is_refused_without_retries() -> None:
    with local_aws(), pytest.raises(ClientError) as refused:
        client("cloudformation", account=ONE, region="us-east-1").list_types()
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
    assert refused.value.response["ResponseMetadata"]["RetryAttempts"] == 0


def test_objects_are_returned_unchanged() -> None:
    data = bytes(range(256)) * 4096
    with local_aws():
        s3 = client("s3", account=ONE, region="eu-north-1")
        s3.create_bucket(
            Bucket="dotted.name",
            CreateBucketConfiguration={"LocationConstraint": "eu-north-1"},
        )
        s3.put_object(Bucket="dotted.name", Key="a b/ü+&.bin", Body=data)
        assert s3.get_object(Bucket="dotted.name", Key="a b/ü+&.bin")["Body"].read() == data
        (listed,) = s3.list_objects_v2(Bucket="dotted.name")["Contents"]
        assert listed["Key"] == "a b/ü+&.bin"


def test_threads_can_share_a_client() -> None:
    with local_aws():
        ssm = client("ssm", account=ONE, region="us-east-1")

        def put(number: int) -> None:
            ssm.put_parameter(Name=f"/n/{number}", Value=str(number), Type="String")

        threads = [threading.Thread(target=put, args=(number,)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        pages = ssm.get_paginator("get_parameters_by_path").paginate(Path="/n")
        found = {
            parameter["Name"]: parameter["Value"]
            for page in pages
            for parameter in page["Parameters"]
        }
        assert found == {f"/n/{number}": str(number) for number in range(16)}
