"""The nodes of a cluster, from its instances and its configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unittest.mock import Mock

import pytest

from clusterwright_localaws.drivers import (
    CLUSTER_TAG,
    NODE_TAG,
    POOL_TAG,
    QUEUE_TAG,
    RESOURCE_TAG,
)
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.platforms.parallelcluster.cluster_nodes import (
    EPHEMERAL,
    cluster_nodes,
)

HEAD = {NODE_TAG: "HeadNode"}
LOGIN = {NODE_TAG: "LoginNode", POOL_TAG: "login"}
COMPUTE = {NODE_TAG: "Compute", QUEUE_TAG: "train-ing", RESOURCE_TAG: "workers"}
CONFIGURATION: dict[str, Any] = {
    "HeadNode": {"CustomActions": {"OnNodeConfigured": {"Args": ["x", "controller"]}}},
    "LoginNodes": {"Pools": [{"Name": "login"}]},
    "Scheduling": {
        "SlurmQueues": [
            {
                "Name": "train-ing",
                "ComputeSettings": {"LocalStorage": {"EphemeralVolume": {"MountDir": "/nvme"}}},
                "CustomActions": {"OnNodeStart": {"Script": "s"}},
                "ComputeResources": [{"Name": "workers"}],
            }
        ]
    },
}


def instance(number: int, tags: dict[str, str]) -> dict[str, Any]:
    return {
        "InstanceId": f"i-{number}",
        "InstanceType": "p5.48xlarge",
        "PrivateIpAddress": f"10.0.0.{number}",
        "SubnetId": "subnet-1",
        "Placement": {"AvailabilityZone": "us-east-1a"},
        "ImageId": "ami-1",
        "Tags": [
            {"Key": key, "Value": value} for key, value in {CLUSTER_TAG: "c", **tags}.items()
        ],
    }


def account(
    *instances: dict[str, Any],
    roles: Sequence[str] = ("RoleHeadNode", "RolePoollogin", "RoleQueuetrainXing"),
) -> Any:
    ec2, iam, cloudformation = Mock(), Mock(), Mock()
    pages = [{"Reservations": [{"Instances": [one]}]} for one in instances]
    ec2.get_paginator.return_value.paginate.return_value = pages
    rows = [
        {
            "LogicalResourceId": name,
            "PhysicalResourceId": f"p-{name}",
            "ResourceType": "AWS::IAM::Role",
        }
        for name in roles
    ]
    rows.append({"LogicalResourceId": "x", "PhysicalResourceId": "x", "ResourceType": "Other"})
    cloudformation.get_paginator.return_value.paginate.return_value = [
        {"StackResourceSummaries": rows}
    ]
    iam.get_role.side_effect = lambda RoleName: {"Role": {"Arn": f"arn:{RoleName}"}}  # noqa: N803
    clients = {"ec2": ec2, "iam": iam, "cloudformation": cloudformation}
    return Mock(client=clients.__getitem__)


def test_head_node_then_login_then_compute_nodes() -> None:
    found = cluster_nodes(
        account(instance(4, COMPUTE), instance(3, COMPUTE), instance(2, LOGIN), instance(1, HEAD)),
        "c",
        CONFIGURATION,
    )
    assert [(node.name, node.host, node.role) for node in found] == [
        ("controller-1", "ip-10-0-0-1", "Controller"),
        ("login-1", "ip-10-0-0-2", "Login"),
        ("workers-1", "train-ing-st-workers-1", "Compute"),
        ("workers-2", "train-ing-st-workers-2", "Compute"),
    ]
    head, login, first, second = found
    assert [node.instance_id for node in (first, second)] == ["i-3", "i-4"]
    assert [node.role_arn for node in (head, login, first)] == [
        "arn:p-RoleHeadNode",
        "arn:p-RolePoollogin",
        "arn:p-RoleQueuetrainXing",
    ]
    assert (head.ephemeral_dir, first.ephemeral_dir) == (EPHEMERAL, "/nvme")
    assert first.actions == {"OnNodeStart": {"Script": "s"}}


def test_a_head_node_without_our_action_is_called_head() -> None:
    found = cluster_nodes(account(instance(1, HEAD)), "c", {**CONFIGURATION, "HeadNode": {}})
    assert found[0].name == "head-1"


def test_a_role_of_the_configuration_goes_first() -> None:
    own = {**CONFIGURATION, "HeadNode": {"Iam": {"InstanceRole": "arn:own"}}}
    assert cluster_nodes(account(instance(1, HEAD)), "c", own)[0].role_arn == "arn:own"


def test_a_cluster_without_a_head_node_is_refused() -> None:
    with pytest.raises(RehearsalError, match="c has no head node"):
        cluster_nodes(account(instance(2, LOGIN)), "c", CONFIGURATION)


def test_a_stack_without_the_role_is_refused() -> None:
    with pytest.raises(RehearsalError, match="the cluster's stack has no RoleHeadNode"):
        cluster_nodes(account(instance(1, HEAD), roles=()), "c", CONFIGURATION)
