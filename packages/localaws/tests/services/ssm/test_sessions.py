"""Tests of services.ssm.sessions."""

from __future__ import annotations

from datetime import timedelta

import pytest
from botocore.exceptions import ClientError

from clusterwright_localaws.core.runtime import Runtime
from packages.localaws.tests.parts import Site, amazon_image_id, client, describe, nodes, refusal


def target(site: Site) -> str:
    site.create(site.group("workers", 1))
    cluster = describe()["ClusterArn"].rsplit("/", 1)[-1]
    worker = nodes(InstanceGroupNameContains="workers")[0]["InstanceId"]
    return f"sagemaker-cluster:{cluster}_workers-{worker}"


def test_session_to_a_node_starts_and_ends(site: Site) -> None:
    ssm = client("ssm")
    answer = ssm.start_session(Target=target(site))
    assert answer["StreamUrl"].endswith(answer["SessionId"])
    assert (
        ssm.terminate_session(SessionId=answer["SessionId"])["SessionId"] == (answer["SessionId"])
    )


@pytest.mark.parametrize("changed", ["i-00000000000000000", "sagemaker-cluster:x", "mi-1"])
def test_other_targets_are_not_connected(site: Site, changed: str) -> None:
    target(site)
    assert refusal(client("ssm").start_session, Target=changed)[0] == "TargetNotConnected"


def test_node_of_another_group_is_not_connected(site: Site) -> None:
    wrong = target(site).replace("_workers-", "_controller-")
    assert refusal(client("ssm").start_session, Target=wrong)[0] == "TargetNotConnected"


def test_instance_of_ec2_is_a_target(local: None) -> None:
    image = amazon_image_id()
    found = client("ec2").run_instances(
        ImageId=image, MinCount=1, MaxCount=1, InstanceType="m5.xlarge"
    )["Instances"][0]["InstanceId"]
    assert client("ssm").start_session(Target=found)["SessionId"]


def test_fourth_session_of_a_second_is_throttled(aws: Runtime, site: Site) -> None:
    ssm, node = client("ssm"), target(site)
    held = aws.clock.now()
    aws.clock.now = lambda: held  # type: ignore[method-assign]
    for _ in range(3):
        ssm.start_session(Target=node)
    with pytest.raises(ClientError, match="Rate exceeded"):
        ssm.start_session(Target=node)
    aws.clock.now = lambda: held + timedelta(seconds=1)  # type: ignore[method-assign]
    assert ssm.start_session(Target=node)["SessionId"]


def test_command_to_a_node_is_refused(site: Site) -> None:
    worker = target(site).rsplit("workers-", 1)[-1]
    for request in (
        {"InstanceIds": [worker]},
        {"Targets": [{"Key": "InstanceIds", "Values": [worker]}]},
    ):
        code, _ = refusal(client("ssm").send_command, DocumentName="AWS-RunShellScript", **request)
        assert code == "InvalidInstanceId"
    keyless = {"Key": "tag:a"}
    code, _ = refusal(
        client("ssm").send_command, DocumentName="AWS-RunShellScript", Targets=[keyless]
    )
    assert code == "ValidationException"
    answer = client("ssm").send_command(
        DocumentName="AWS-RunShellScript",
        InstanceIds=["i-00000000000000000"],
        OutputS3BucketName="results",
        OutputS3Region="us-east-1",
    )
    assert answer["Command"]["DocumentName"] == "AWS-RunShellScript"
