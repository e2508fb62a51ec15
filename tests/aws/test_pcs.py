"""AWS PCS: clusters, compute node groups, queues."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.stub import Stubber

from clusterwright.aws import pcs
from clusterwright.aws.session import AwsSession

ARN = "arn:aws:pcs:us-east-1:111122223333:cluster/pcs_1"
TIMES = {"createdAt": "2026-11-20T00:00:00Z", "modifiedAt": "2026-11-20T00:00:00Z"}
ERROR = {"code": "InsufficientInstanceCapacity", "message": "none in the zone"}


@pytest.fixture
def stub(session: AwsSession) -> Iterator[Stubber]:
    with Stubber(session.client("pcs")) as stub:
        yield stub


def listed(name: str, identifier: str) -> dict[str, Any]:
    return {"name": name, "id": identifier, "arn": ARN, "status": "ACTIVE", **TIMES}


def test_cluster(session: AwsSession, stub: Stubber) -> None:
    answer = {
        **listed("train", "pcs_1"),
        "status": "CREATE_FAILED",
        "scheduler": {"type": "SLURM", "version": "25.11"},
        "size": "SMALL",
        "networking": {},
        "errorInfo": [ERROR],
    }
    stub.add_response("get_cluster", {"cluster": answer}, {"clusterIdentifier": "train"})
    assert pcs.cluster(session, "train") == pcs.Cluster(
        "train",
        "pcs_1",
        "CREATE_FAILED",
        "SMALL",
        "25.11",
        ("InsufficientInstanceCapacity: none in the zone",),
        ARN,
    )
    stub.add_client_error("get_cluster", "ResourceNotFoundException")
    assert pcs.cluster(session, "train") is None


def test_statuses_of_all_clusters(session: AwsSession, stub: Stubber) -> None:
    stub.add_response("list_clusters", {"clusters": [listed("train", "pcs_1")]})
    assert pcs.cluster_statuses(session) == {"train": "ACTIVE"}


def test_groups_and_queues(session: AwsSession, stub: Stubber) -> None:
    named = {"clusterIdentifier": "train"}
    script = {
        "name": "clusterwright",
        "scriptSource": {"scriptLocation": "s3://scripts/a/on_pcs_node.sh", "checksum": "0" * 64},
        "arguments": ["s3://scripts/a/", "0" * 64, "workers"],
        "onError": "TERMINATE",
        "executionPolicy": "EVERY_BOOT",
    }
    group = {
        **listed("workers", "pcs_2"),
        "clusterId": "pcs_1",
        "purchaseOption": "ONDEMAND",
        "iamInstanceProfileArn": "arn:aws:iam::111122223333:instance-profile/aws-pcs/x",
        "scalingConfiguration": {"minInstanceCount": 2, "maxInstanceCount": 4},
        "instanceConfigs": [{"instanceType": "p5.48xlarge"}],
        "subnetIds": ["subnet-1"],
        "amiId": "ami-1",
        "nodeLifecycleActions": {"stages": {"nodeBootstrapped": [script]}},
    }
    summary = {**listed("workers", "pcs_2"), "clusterId": "pcs_1"}
    stub.add_response("list_compute_node_groups", {"computeNodeGroups": [summary]}, named)
    stub.add_response(
        "get_compute_node_group",
        {"computeNodeGroup": group},
        {**named, "computeNodeGroupIdentifier": "pcs_2"},
    )
    assert pcs.groups(session, "train") == (
        pcs.Part("workers", "pcs_2", "ACTIVE", (), 2, 4, "s3://scripts/a/"),
    )
    others = [summary, {**summary, "id": "pcs_4", "status": "CREATE_FAILED"}]
    stub.add_response("list_compute_node_groups", {"computeNodeGroups": others}, named)
    stub.add_response(
        "get_compute_node_group",
        {"computeNodeGroup": group},
        {**named, "computeNodeGroupIdentifier": "pcs_2"},
    )
    assert pcs.images(session, "train") == {"ami-1"}
    stub.add_client_error("list_compute_node_groups", "ResourceNotFoundException")
    assert pcs.images(session, "train") is None
    queue = {**listed("main", "pcs_3"), "clusterId": "pcs_1", "computeNodeGroupConfigurations": []}
    summary = {**listed("main", "pcs_3"), "clusterId": "pcs_1"}
    stub.add_response("list_queues", {"queues": [summary]}, named)
    stub.add_response("get_queue", {"queue": queue}, {**named, "queueIdentifier": "pcs_3"})
    assert pcs.queues(session, "train") == (pcs.Part("main", "pcs_3", "ACTIVE", ()),)
