"""Deployed HyperPod clusters: groups, nodes, batch operations."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import pytest
from botocore.stub import Stubber

from clusterwright.aws import hyperpod
from clusterwright.aws.session import AwsSession

ARN = "arn:aws:sagemaker:us-east-1:111122223333:cluster/abc123def456"
LAUNCHED = dt.datetime(2026, 11, 20, tzinfo=dt.UTC)
ID = "i-0123456789abcdef0"


@pytest.fixture
def stub(session: AwsSession) -> Iterator[Stubber]:
    with Stubber(session.client("sagemaker")) as stub:
        yield stub


def test_cluster_and_groups(session: AwsSession, stub: Stubber) -> None:
    group = {
        "InstanceGroupName": "workers",
        "InstanceType": "ml.p5.48xlarge",
        "CurrentCount": 3,
        "TargetCount": 4,
        "Status": "InService",
        "SlurmConfig": {"NodeType": "Compute"},
        "CurrentImageReleaseVersion": "1.2.3",
        "ImageVersionStatus": "UpdateAvailable",
        "LifeCycleConfig": {"SourceS3Uri": "s3://b/lifecycle/abc/", "OnCreate": "x.sh"},
    }
    mixed = {
        "InstanceGroupName": "mixed",
        "InstanceRequirements": {"DesiredInstanceTypes": ["ml.p5.48xlarge", "ml.p5en.48xlarge"]},
    }
    answer = {
        "ClusterArn": ARN,
        "ClusterName": "train",
        "ClusterStatus": "InService",
        "NodeProvisioningMode": "Continuous",
        "InstanceGroups": [group, mixed],
    }
    stub.add_response("describe_cluster", answer, {"ClusterName": "train"})
    found = hyperpod.deployed_cluster(session, "train")
    assert found is not None
    assert (found.status, found.continuous, found.failure) == ("InService", True, "")
    workers, other = found.groups
    assert (workers.current_count, workers.target_count) == (3, 4)
    assert (workers.instance_types, workers.slurm_role) == (("p5.48xlarge",), "Compute")
    assert (workers.image_status, workers.scripts_s3_uri) == (
        "UpdateAvailable",
        "s3://b/lifecycle/abc/",
    )
    assert other.instance_types == ("p5.48xlarge", "p5en.48xlarge")
    assert other.current_count is None


def test_no_cluster(session: AwsSession, stub: Stubber) -> None:
    stub.add_client_error("describe_cluster", "ResourceNotFound")
    assert hyperpod.deployed_cluster(session, "train") is None
    stub.add_client_error("list_cluster_nodes", "ResourceNotFound")
    assert hyperpod.cluster_nodes(session, "train") is None


def test_nodes_of_every_page_a_hundred_at_a_time(session: AwsSession, stub: Stubber) -> None:
    def summary(**more: object) -> dict[str, object]:
        return {
            "InstanceGroupName": "workers",
            "InstanceId": ID,
            "InstanceType": "ml.p5.48xlarge",
            "LaunchTime": LAUNCHED,
            "InstanceStatus": {"Status": "Running"},
            **more,
        }

    first = summary(
        PrivateDnsHostname="ip-10-0-1-5.ec2.internal",
        InstanceStatus={"Status": "Failure", "Message": "EFA"},
    )
    awaited = summary(InstanceId="", InstanceStatus={"Status": "Pending"}, NodeLogicalId="n-1")
    parameters = {"ClusterName": "train", "MaxResults": 100}
    stub.add_response(
        "list_cluster_nodes", {"ClusterNodeSummaries": [first], "NextToken": "t"}, parameters
    )
    stub.add_response(
        "list_cluster_nodes",
        {"ClusterNodeSummaries": [awaited]},
        {**parameters, "NextToken": "t"},
    )
    found = hyperpod.cluster_nodes(session, "train")
    assert found is not None
    assert (found[0].hostname, found[0].status, found[0].message) == (
        "ip-10-0-1-5",
        "Failure",
        "EFA",
    )
    assert found[0].instance_type == "p5.48xlarge"
    assert (found[1].instance_id, found[1].logical_id, found[1].hostname) == (None, "n-1", None)


def test_batches(session: AwsSession, stub: Stubber) -> None:
    parameters = {"ClusterName": "train", "NodeIds": [ID]}
    failed = {"NodeId": ID, "ErrorCode": "InstanceIdInUse", "Message": "it is a controller"}
    stub.add_response("batch_reboot_cluster_nodes", {"Successful": [ID]}, parameters)
    assert hyperpod.reboot(session, "train", [ID]) == ()
    stub.add_response("batch_replace_cluster_nodes", {"Failed": [failed]}, parameters)
    (refused,) = hyperpod.replace(session, "train", [ID])
    assert refused == hyperpod.NodeRefusal(ID, "InstanceIdInUse", "it is a controller")
