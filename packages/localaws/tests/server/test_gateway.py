"""Tests of server.gateway."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import boto3
import pytest
from botocore import xform_name
from botocore.exceptions import ClientError

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.call import OPERATIONS, Call
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.core.timers import timers
from clusterwright_localaws.server import gateway
from packages.localaws.tests.parts import client, refusal


@contextmanager
def calls_counted(service: str, operation: str) -> Iterator[list[int]]:
    """How many requests boto3 sends, including retries."""
    counted = client(service)
    sent: list[int] = []

    def count(**_: Any) -> None:
        sent.append(1)

    event = f"before-send.{counted.meta.service_model.service_id.hyphenize()}.{operation}"
    counted.meta.events.register_first(event, count)
    try:
        yield sent
    finally:
        counted.meta.events.unregister(event, count)


def fault(service: str, operation: str, **what: Any) -> dict[str, Any]:
    return {"service": service, "operation": operation, **what}


@pytest.mark.usefixtures("aws")
class TestUnknownOperations:
    """Clients do not retry what the local AWS lacks."""

    @pytest.mark.parametrize(
        ("service", "operation", "parameters", "code"),
        [
            # JSON, answered by neither us nor moto
            ("fsx", "DescribeStorageVirtualMachines", {}, "UnknownOperationException"),
            ("sagemaker", "ListMlflowApps", {}, "UnknownOperationException"),
            ("logs", "ListAnomalies", {}, "UnknownOperationException"),
            # EC2 and query
            ("ec2", "DescribeFastLaunchImages", {}, "InvalidAction"),
            ("iam", "ListPoliciesGrantingServiceAccess", None, "InvalidAction"),
            # REST with JSON bodies
            ("efs", "DescribeAccountPreferences", {}, "UnknownOperationException"),
        ],
    )
    def test_unimplemented_operations_are_refused_without_retries(
        self, service: str, operation: str, parameters: dict[str, Any] | None, code: str
    ) -> None:

        if parameters is None:
            parameters = {"Arn": "arn:aws:iam::123456789012:user/a", "ServiceNamespaces": ["s3"]}
        with calls_counted(service, operation) as sent:
            found, message = refusal(getattr(client(service), xform_name(operation)), **parameters)
        assert found == code
        assert operation in message
        assert len(sent) == 1

    def test_an_internal_error_is_reported_and_not_retried(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        client("sagemaker").list_clusters()

        def broken(call: Call) -> dict[str, Any]:
            raise KeyError("oops")

        monkeypatch.setitem(OPERATIONS, ("sagemaker", "ListClusters"), broken)
        with calls_counted("sagemaker", "ListClusters") as sent:
            found, message = refusal(client("sagemaker").list_clusters)
        assert found == "InternalFailure"
        assert "sagemaker ListClusters: KeyError: 'oops'" in message
        assert "Traceback" in capsys.readouterr().err
        assert len(sent) == 1

    def test_answer_that_violates_the_model_is_an_internal_error(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        client("sagemaker").list_clusters()
        monkeypatch.setitem(
            OPERATIONS,
            ("sagemaker", "ListClusters"),
            lambda call: {"ClusterSummaries": [{"ClusterName": 3, "Colour": "red"}]},
        )
        found, message = refusal(client("sagemaker").list_clusters)
        assert found == "InternalFailure"
        assert "clusterSummaries.1.member.clusterArn" in message
        assert "AssertionError" in capsys.readouterr().err


def test_every_operation_registered_is_one_of_the_api_model() -> None:
    from clusterwright_localaws import services
    from clusterwright_localaws.server import wire

    for service in services.own_services():
        services.prepare(service)
    for service, operation in OPERATIONS:
        assert operation in wire.service_model(service).operation_names
    assert gateway.unknown_operation("ec2", "Nothing").status == 400

    def test_error_of_moto_in_json_has_the_form_of_the_protocol(
        self, local: None, capsys: pytest.CaptureFixture[str]
    ) -> None:
        client("rds").create_db_instance(
            DBInstanceIdentifier="first",
            DBInstanceClass="db.t3.micro",
            Engine="mysql",
            MasterUsername="admin1",
            MasterUserPassword="password1",
            AllocatedStorage=20,
        )
        with pytest.raises(ClientError) as refused:
            client("rds").describe_db_instances(Marker="not-a-marker")
        assert refused.value.response["Error"]["Code"] == "InvalidParameterValue"
        assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400
        assert capsys.readouterr().err == ""


class TestLatency:
    def test_latency_of_the_world_is_applied(self) -> None:
        with local_aws(latency_ms={"sts": 2000, "*": 0}):
            client("sts").get_caller_identity()
            client("fsx").describe_file_systems()

            def seconds(call: Callable[[], Any]) -> float:
                before = time.monotonic()
                call()
                return time.monotonic() - before

            assert seconds(client("sts").get_caller_identity) >= 2
            fastest = min(seconds(client("fsx").describe_file_systems) for _ in range(5))
            assert fastest < seconds(client("sts").get_caller_identity)

    def test_wildcard_latency_applies_to_other_services(self) -> None:
        with local_aws(latency_ms={"sts": 0, "*": 120}):
            before = time.monotonic()
            client("fsx").describe_file_systems()
            assert time.monotonic() - before >= 0.12

    def test_fault_affects_only_the_nth_call(self) -> None:
        third = fault("sts", "GetCallerIdentity", error="AccessDenied", after=2, times=1)
        with local_aws(faults=[third]):
            found = []
            for _ in range(5):
                try:
                    client("sts").get_caller_identity()
                    found.append("ok")
                except ClientError as error:
                    found.append(error.response["Error"]["Code"])
        assert found == ["ok", "ok", "AccessDenied", "ok", "ok"]


@pytest.mark.usefixtures("aws")
class TestRecordedOnAws:
    """Answers that others recorded on AWS, and that more than one operation has."""

    @pytest.mark.parametrize(
        ("operation", "parameters"),
        [
            ("describe_log_streams", {"logGroupIdentifier": "a*"}),
            ("create_log_group", {"logGroupName": "a*"}),
            ("describe_log_groups", {"limit": 51}),
        ],
    )
    def test_messages_of_logs_do_not_repeat_values(
        self, operation: str, parameters: dict[str, Any]
    ) -> None:
        code, message = refusal(getattr(client("logs"), operation), **parameters)
        assert code == "InvalidParameterException"
        (member,) = parameters
        begins = f"1 validation error detected: Value at '{member}' failed to satisfy constraint: "
        assert message.startswith(begins)

    def test_answers_of_json_services_have_their_content_type(self) -> None:
        logs = client("logs")
        answered = logs.describe_log_groups()["ResponseMetadata"]["HTTPHeaders"]
        assert answered["content-type"] == "application/x-amz-json-1.1"
        with pytest.raises(ClientError) as caught:
            logs.filter_log_events(logGroupName="missing")
        refused = caught.value.response["ResponseMetadata"]["HTTPHeaders"]
        assert refused["content-type"] == "application/x-amz-json-1.1"

    def test_a_dry_run_does_not_look_at_values(self) -> None:
        template = {"LaunchTemplateSpecification": {"LaunchTemplateName": "abc", "Version": "1"}}
        given = {
            "LaunchTemplateConfigs": [template],
            "TargetCapacitySpecification": {"TotalTargetCapacity": 1},
            "ExcessCapacityTerminationPolicy": "none-of-them",
        }
        assert refusal(client("ec2").create_fleet, **given, DryRun=True)[0] == "DryRunOperation"
        assert refusal(client("ec2").create_fleet, **given)[0] == "InvalidParameterValue"

    def test_the_two_apis_of_load_balancers_have_one_address(self) -> None:
        assert client("elbv2").describe_load_balancers()["LoadBalancers"] == []
        assert client("elb").describe_load_balancers()["LoadBalancerDescriptions"] == []

    @pytest.mark.parametrize(
        ("operation", "parameter", "prefix"),
        [
            ("describe_images", "ImageIds", "ami-"),
            ("describe_instances", "InstanceIds", "i-"),
            ("describe_subnets", "SubnetIds", "subnet-"),
            ("describe_volumes", "VolumeIds", "vol-"),
        ],
    )
    def test_malformed_ids_say_what_was_expected(
        self, operation: str, parameter: str, prefix: str
    ) -> None:
        found = refusal(getattr(client("ec2"), operation), **{parameter: ["wrong"]})
        assert found[1] == f'Invalid id: "wrong" (expecting "{prefix}...")'


def test_a_key_that_ended_is_refused_with_the_code_of_each_protocol(aws: Runtime) -> None:
    session = boto3.Session(
        aws_access_key_id="ASIAQEXAMPLEENDED001",
        aws_secret_access_key="x",
        aws_session_token="x",
        region_name="us-east-1",
    )
    ec2, s3, pcs = (session.client(name) for name in ("ec2", "s3", "pcs"))
    ec2.describe_vpcs()
    aws.ended_keys.add("ASIAQEXAMPLEENDED001")
    for call, code in (
        (ec2.describe_vpcs, "ExpiredToken"),
        (s3.list_buckets, "ExpiredToken"),
        (pcs.list_clusters, "ExpiredTokenException"),
    ):
        with pytest.raises(ClientError, match="security token") as raised:
            call()
        assert raised.value.response["Error"]["Code"] == code
    client("ec2").describe_vpcs()


@pytest.mark.usefixtures("aws")
@pytest.mark.parametrize(
    ("service", "operation", "code"),
    [
        ("ec2", "DescribeAvailabilityZones", "InvalidRegion"),
        ("ec2", "DescribeVpcs", "InvalidRegion"),
        ("sqs", "ListQueues", "UnrecognizedClientException"),
    ],
)
def test_region_that_does_not_exist_is_refused(service: str, operation: str, code: str) -> None:
    found = refusal(getattr(client(service, "us-east-9"), xform_name(operation)))
    assert found == (code, "there is no Region us-east-9")


def test_timers_of_one_service_do_not_block_calls_of_another(aws: Runtime) -> None:
    """Each thread has one of two locks, and needs the other: neither would end."""
    action_runs, other_call_runs = threading.Event(), threading.Event()

    def action() -> None:
        action_runs.set()
        other_call_runs.wait(0.5)
        aws.store("test", "", "", dict)

    def call_ec2() -> None:
        action_runs.wait(10)
        with aws.lock:
            other_call_runs.set()
            aws.advance()

    timers().after(0, action)
    threads = [
        threading.Thread(target=client("rds").describe_db_instances, daemon=True),
        threading.Thread(target=call_ec2, daemon=True),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert not [thread for thread in threads if thread.is_alive()]
