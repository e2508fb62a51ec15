"""Tests of core.faults."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws import local_aws
from packages.localaws.tests.parts import build_site, client, nodes, refusal


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
    def test_fault_reaches_clients_of_every_protocol(
        self, service: str, operation: str, call: Callable[[], Any]
    ) -> None:
        denied = [fault(service, operation, error="AccessDenied")]
        with local_aws(faults=denied), pytest.raises(ClientError) as caught:
            call()
        assert caught.value.response["Error"]["Code"] == "AccessDenied"
        assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 403
        action = "ListAllMyBuckets" if service == "s3" else operation  # IAM's name of it
        assert f"perform: {service}:{action}" in str(caught.value)

    def test_throttled_calls_are_retried(self) -> None:
        throttled = fault("sagemaker", "ListClusters", error="ThrottlingException", times=2)
        with local_aws(faults=[throttled]), calls_counted("sagemaker", "ListClusters") as sent:
            assert client("sagemaker").list_clusters()["ClusterSummaries"] == []
        assert len(sent) == 3

    def test_message_and_status_can_be_set(self) -> None:
        own = fault("ec2", "*", error="Blocked", message="not on a Friday", status=418)
        with local_aws(faults=[own]), pytest.raises(ClientError) as caught:
            client("ec2").describe_subnets()
        assert caught.value.response["Error"] == {"Code": "Blocked", "Message": "not on a Friday"}
        assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 418

    def test_after_skips_the_first_calls(self) -> None:
        third = fault("sts", "GetCallerIdentity", error="AccessDenied", after=2, times=1)
        with local_aws(faults=[third]):
            ask = client("sts").get_caller_identity
            ask()
            ask()
            assert refusal(ask)[0] == "AccessDenied"
            ask()

    def test_delay_is_applied(self) -> None:
        slow = fault("sagemaker", "ListClusters", delay_ms=150, times=1)
        with local_aws(faults=[slow]):
            client("sts").get_caller_identity()
            started = time.monotonic()
            client("sagemaker").list_clusters()
            assert time.monotonic() - started >= 0.15

    def test_empty_list_is_returned(self) -> None:
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

    def test_implemented_lists_are_truncated_without_loss(self) -> None:
        short = fault("sagemaker", "ListClusterNodes", truncate=2)
        with local_aws(faults=[short]):
            site = build_site()
            site.create(site.group("gpu", 4))
            first = client("sagemaker").list_cluster_nodes(ClusterName="train", MaxResults=100)
            assert len(first["ClusterNodeSummaries"]) == 2
            assert first["NextToken"]
            assert len({node["InstanceId"] for node in nodes()}) == 5

    def test_lists_of_moto_are_truncated(self) -> None:
        with local_aws(faults=[fault("ec2", "DescribeSubnets", truncate=1)]):
            assert len(client("ec2").describe_subnets()["Subnets"]) == 1

    def test_other_operations_and_services_are_not_affected(self) -> None:
        with local_aws(faults=[fault("sagemaker", "ListClusters", error="AccessDenied")]):
            client("sagemaker").list_training_plans()
            client("ec2").describe_vpcs()

    def test_wildcard_fault_affects_every_operation(self) -> None:
        with local_aws(faults=[fault("*", "*", error="AccessDenied", times=2)]):
            assert refusal(client("ec2").describe_vpcs)[0] == "AccessDenied"
            assert refusal(client("fsx").describe_file_systems)[0] == "AccessDenied"
            client("iam").list_roles()

    def test_counters_start_at_zero_in_a_new_local_aws(self) -> None:
        world = {"faults": [fault("iam", "ListRoles", error="AccessDenied", times=1)]}
        for _ in range(2):
            with local_aws(**world):
                assert refusal(client("iam").list_roles)[0] == "AccessDenied"
                client("iam").list_roles()
