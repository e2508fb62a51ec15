"""EKS: control planes and node groups."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from botocore.stub import Stubber

from clusterwright.aws import eks
from clusterwright.aws.session import AwsSession


@pytest.fixture
def stub(session: AwsSession) -> Iterator[Stubber]:
    with Stubber(session.client("eks")) as stub:
        yield stub


def test_control_plane(session: AwsSession, stub: Stubber) -> None:
    issue = {"code": "Ec2SubnetNotFound", "message": "subnet-1 is gone"}
    answer = {
        "name": "train",
        "status": "ACTIVE",
        "version": "1.34",
        "endpoint": "https://abc",
        "health": {"issues": [issue]},
    }
    stub.add_response("describe_cluster", {"cluster": answer}, {"name": "train"})
    assert eks.kubernetes_cluster(session, "train") == eks.KubernetesCluster(
        "train", "ACTIVE", "1.34", "https://abc", ("Ec2SubnetNotFound: subnet-1 is gone",)
    )
    stub.add_client_error("describe_cluster", "ResourceNotFoundException")
    assert eks.kubernetes_cluster(session, "train") is None


def test_nodegroups(session: AwsSession, stub: Stubber) -> None:
    stub.add_response("list_nodegroups", {"nodegroups": ["a"]}, {"clusterName": "train"})
    assert eks.nodegroup_names(session, "train") == ("a",)
    stub.add_client_error("list_nodegroups", "ResourceNotFoundException")
    assert eks.nodegroup_names(session, "train") is None
    answer = {
        "nodegroupName": "a",
        "status": "DEGRADED",
        "labels": {"clusterwright.dev/group": "workers"},
        "scalingConfig": {"desiredSize": 2},
        "instanceTypes": ["p5.48xlarge"],
        "health": {"issues": [{"code": "AsgInstanceLaunchFailures", "message": "no capacity"}]},
    }
    parameters = {"clusterName": "train", "nodegroupName": "a"}
    stub.add_response("describe_nodegroup", {"nodegroup": answer}, parameters)
    found = eks.nodegroup(session, "train", "a")
    assert (found.status, found.desired_count) == ("DEGRADED", 2)
    assert found.issues == ("AsgInstanceLaunchFailures: no capacity",)
