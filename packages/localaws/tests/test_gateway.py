"""The door of the local AWS: faults, refusals of wrong requests, operations nobody has."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import boto3
import pytest
from botocore import xform_name
from botocore.config import Config
from botocore.exceptions import ClientError
from pydantic import ValidationError

from clusterwright_localaws import local_aws
from clusterwright_localaws.core.call import OPERATIONS, Call
from clusterwright_localaws.core.runtime import Runtime
from clusterwright_localaws.server import gateway
from packages.localaws.tests.parts import REGION, build_site, client, describe, nodes, refusal

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


@contextmanager
def calls_counted(service: str, operation: str) -> Iterator[list[int]]:
    """How many requests boto3 sends, its own retries included."""
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


class TestFaults:
    @pytest.mark.parametrize(
        ("service", "operation", "call"),
        [
            ("sagemaker", "ListClusters", lambda: client("sagemaker").list_clusters()),
            ("ec2", "DescribeVpcs", lambda: client("ec2").describe_vpcs()),
            ("s3", "ListBuckets", lambda: client("s3").list_buckets()),
            ("iam", "ListRoles", lambda: client("iam").list_roles()),
            ("sts", "GetCallerIdentity", lambda: client("sts").get_caller_identity()),
            ("cloudformation", "ListStacks", lambda: client("cloudformation").list_stacks()),
            ("pricing", "DescribeServices", lambda: client("pricing").describe_services()),
            (
                "efs",
                "DescribeFileSystems",
                lambda: client("efs").describe_file_systems(),
            ),
        ],
    )
    def test_an_error_reaches_clients_of_every_protocol(
        self, service: str, operation: str, call: Callable[[], Any]
    ) -> None:
        denied = [fault(service, operation, error="AccessDenied")]
        with local_aws(faults=denied), pytest.raises(ClientError) as caught:
            call()
        assert caught.value.response["Error"]["Code"] == "AccessDenied"
        assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 403
        action = "ListAllMyBuckets" if service == "s3" else operation  # IAM's name of it
        assert f"perform: {service}:{action}" in str(caught.value)

    def test_throttling_is_retried_by_clients_and_ends(self) -> None:
        throttled = fault("sagemaker", "ListClusters", error="ThrottlingException", times=2)
        with local_aws(faults=[throttled]), calls_counted("sagemaker", "ListClusters") as sent:
            assert client("sagemaker").list_clusters()["ClusterSummaries"] == []
        assert len(sent) == 3

    def test_a_message_and_a_status_of_its_own(self) -> None:
        own = fault("ec2", "*", error="Blocked", message="not on a Friday", status=418)
        with local_aws(faults=[own]), pytest.raises(ClientError) as caught:
            client("ec2").describe_subnets()
        assert caught.value.response["Error"] == {"Code": "Blocked", "Message": "not on a Friday"}
        assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 418

    def test_after_lets_the_first_calls_through(self) -> None:
        third = fault("sts", "GetCallerIdentity", error="AccessDenied", after=2, times=1)
        with local_aws(faults=[third]):
            ask = client("sts").get_caller_identity
            ask()
            ask()
            assert refusal(ask)[0] == "AccessDenied"
            ask()

    def test_a_delay_delays(self) -> None:
        slow = fault("sagemaker", "ListClusters", delay_ms=150, times=1)
        with local_aws(faults=[slow]):
            client("sts").get_caller_identity()
            started = time.monotonic()
            client("sagemaker").list_clusters()
            assert time.monotonic() - started >= 0.15

    def test_the_answer_is_empty_although_there_is_something(self) -> None:
        nothing = [
            fault("sagemaker", "ListClusterNodes", empty=True, times=1),
            fault("ec2", "DescribeSubnets", empty=True, times=1),
            fault("iam", "ListRoles", empty=True, times=1),
        ]
        with local_aws(faults=nothing):
            site = build_site()
            site.create(site.group("gpu", 2))
            assert nodes() == []
            assert len(nodes()) == 3
            assert client("ec2").describe_subnets()["Subnets"] == []
            assert client("ec2").describe_subnets()["Subnets"] != []
            assert client("iam").list_roles()["Roles"] == []
            assert client("iam").list_roles()["Roles"] != []

    def test_pages_of_our_own_lists_are_cut_short_and_lose_nothing(self) -> None:
        short = fault("sagemaker", "ListClusterNodes", truncate=2)
        with local_aws(faults=[short]):
            site = build_site()
            site.create(site.group("gpu", 4))
            first = client("sagemaker").list_cluster_nodes(ClusterName="train", MaxResults=100)
            assert len(first["ClusterNodeSummaries"]) == 2
            assert first["NextToken"]
            assert len({node["InstanceId"] for node in nodes()}) == 5

    def test_motos_lists_are_cut_short(self) -> None:
        with local_aws(faults=[fault("ec2", "DescribeSubnets", truncate=1)]):
            assert len(client("ec2").describe_subnets()["Subnets"]) == 1

    def test_other_operations_and_services_are_untouched(self) -> None:
        with local_aws(faults=[fault("sagemaker", "ListClusters", error="AccessDenied")]):
            client("sagemaker").list_training_plans()
            client("ec2").describe_vpcs()

    def test_a_fault_for_everything(self) -> None:
        with local_aws(faults=[fault("*", "*", error="AccessDenied", times=2)]):
            assert refusal(client("ec2").describe_vpcs)[0] == "AccessDenied"
            assert refusal(client("fsx").describe_file_systems)[0] == "AccessDenied"
            client("iam").list_roles()

    def test_faults_count_anew_in_a_new_local_aws(self) -> None:
        world = {"faults": [fault("iam", "ListRoles", error="AccessDenied", times=1)]}
        for _ in range(2):
            with local_aws(**world):
                assert refusal(client("iam").list_roles)[0] == "AccessDenied"
                client("iam").list_roles()


@pytest.mark.usefixtures("aws")
class TestUnknownOperations:
    """Nobody retries what the local AWS does not have."""

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
    def test_they_are_refused_once(
        self, service: str, operation: str, parameters: dict[str, Any] | None, code: str
    ) -> None:
        from botocore import xform_name

        if parameters is None:
            parameters = {"Arn": "arn:aws:iam::123456789012:user/a", "ServiceNamespaces": ["s3"]}
        with calls_counted(service, operation) as sent:
            found, message = refusal(getattr(client(service), xform_name(operation)), **parameters)
        assert found == code
        assert operation in message
        assert len(sent) == 1

    def test_a_bug_of_ours_is_said_and_not_retried(
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

    def test_an_answer_that_breaks_the_model_is_a_bug(
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


@pytest.mark.usefixtures("aws")
class TestValidation:
    """Requests are refused in the words of AWS's front end."""

    def test_a_required_member(self) -> None:
        found, message = refusal(unchecked("sagemaker").create_cluster)
        assert found == "ValidationException"
        assert message == (
            "1 validation error detected: Value null at 'clusterName' failed to satisfy "
            "constraint: Member must not be null"
        )

    def test_everything_that_is_wrong_is_said_at_once(self) -> None:
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

    def test_a_string_that_is_too_long(self) -> None:
        found, message = refusal(client("sagemaker").describe_cluster, ClusterName="c" * 300)
        assert found == "ValidationException"
        assert "'clusterName' failed to satisfy constraint" in message

    def test_a_number_that_is_none(self) -> None:
        found, message = refusal(
            unchecked("fsx").create_file_system,
            FileSystemType="LUSTRE",
            StorageCapacity="much",
            SubnetIds=["subnet-1"],
        )
        assert found == "SerializationException"
        assert message

    def test_services_of_moto_are_checked_too(self) -> None:
        found, message = refusal(unchecked("ec2").create_subnet, CidrBlock="10.0.0.0/24")
        assert found == "MissingParameter"
        assert message == "The request must contain the parameter VpcId"
        found, message = refusal(unchecked("iam").create_role, RoleName="a role")
        assert found == "ValidationError"
        found, message = refusal(unchecked("ssm").put_parameter, Name="/a", Value="b", Type="Num")
        assert found == "ValidationException"
        assert "[String, StringList, SecureString]" in message

    def test_nothing_is_left_behind_by_a_refused_request(self) -> None:
        site = build_site()
        free = site.free_addresses()
        request = site.request(site.group("gpu", 2), NodeRecovery="Perhaps")
        assert refusal(unchecked("sagemaker").create_cluster, **request)[0] == (
            "ValidationException"
        )
        assert client("sagemaker").list_clusters()["ClusterSummaries"] == []
        assert site.free_addresses() == free


def test_state_ends_with_the_local_aws() -> None:
    with local_aws():
        site = build_site()
        site.create(site.group("gpu", 1))
        assert describe()["ClusterStatus"] == "InService"
    with local_aws():
        assert client("sagemaker").list_clusters()["ClusterSummaries"] == []


def test_plain_moto_is_untouched_outside(aws: Runtime) -> None:
    """Who uses moto itself in the same process gets moto, not our services."""
    aws.active = False
    try:
        with pytest.raises((ClientError, NotImplementedError)):
            client("sagemaker").list_training_plans()
    finally:
        aws.active = True
    client("sagemaker").list_training_plans()


def test_every_operation_registered_is_one_of_the_api_model() -> None:
    from clusterwright_localaws import services
    from clusterwright_localaws.server import wire

    for service in services.own_services():
        services.prepare(service)
    for service, operation in OPERATIONS:
        assert operation in wire.service_model(service).operation_names
    assert gateway.unknown_operation("ec2", "Nothing").status == 400


class TestTruncation:
    """`truncate` on lists of moto: smaller pages, and nothing lost."""

    @pytest.mark.parametrize(
        ("service", "operation", "key", "make"),
        [
            (
                "iam",
                "ListRoles",
                "Roles",
                lambda c, n: c.create_role(RoleName=f"r{n}", AssumeRolePolicyDocument="{}"),
            ),
            (
                "logs",
                "DescribeLogGroups",
                "logGroups",
                lambda c, n: c.create_log_group(logGroupName=f"g{n}"),
            ),
            (
                "ec2",
                "DescribeVolumes",
                "Volumes",
                lambda c, n: c.create_volume(Size=1, AvailabilityZone="us-east-1a"),
            ),
            ("sns", "ListTopics", "Topics", lambda c, n: c.create_topic(Name=f"t{n}")),
        ],
    )
    def test_every_item_is_found_once(
        self, service: str, operation: str, key: str, make: Callable[[Any, int], Any]
    ) -> None:
        faults = [fault(service, operation, truncate=2)]
        with local_aws(faults=faults):
            found = client(service)
            for number in range(5):
                make(found, number)
            pages = list(found.get_paginator(xform_name(operation)).paginate())
        assert [len(page[key]) for page in pages] == [2, 2, 1]
        names = [str(sorted(item.items(), key=str)) for page in pages for item in page[key]]
        assert len(set(names)) == 5

    def test_the_token_is_of_its_own_list_alone(self) -> None:
        with local_aws(faults=[fault("sns", "ListTopics", truncate=1)]):
            sns = client("sns")
            for name in ("a", "b"):
                sns.create_topic(Name=name)
            token = sns.list_topics()["NextToken"]
            assert refusal(client("sns", "eu-west-1").list_topics, NextToken=token)[0]
            assert sns.list_topics(NextToken=token)["Topics"]

    @pytest.mark.parametrize(
        ("service", "operation", "words"),
        [
            ("s3", "ListObjectsV2", "has no pages that can be cut"),
            ("ec2", "DescribeAvailabilityZones", "has no pages that can be cut"),
            ("sns", "ListTopic", "sns has no operation ListTopic"),
            ("snss", "ListTopics", "snss has no operation"),
        ],
    )
    def test_what_would_lose_the_rest_is_refused_at_load(
        self, service: str, operation: str, words: str
    ) -> None:
        with (
            pytest.raises(ValidationError, match=words),
            local_aws(faults=[fault(service, operation, truncate=1)]),
        ):
            pass


class TestLatency:
    def test_a_service_is_as_slow_as_the_world_says(self) -> None:
        with local_aws(latency_ms={"sts": 120, "*": 0}):
            client("sts").get_caller_identity()
            client("fsx").describe_file_systems()

            def seconds(call: Callable[[], Any]) -> float:
                before = time.monotonic()
                call()
                return time.monotonic() - before

            assert seconds(client("sts").get_caller_identity) >= 0.12
            assert min(seconds(client("fsx").describe_file_systems) for _ in range(5)) < 0.1

    def test_the_star_is_for_the_others(self) -> None:
        with local_aws(latency_ms={"sts": 0, "*": 120}):
            before = time.monotonic()
            client("fsx").describe_file_systems()
            assert time.monotonic() - before >= 0.12

    def test_the_nth_call_alone_fails(self) -> None:
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
