"""The nodes of a cluster: its EC2 instances with the settings of the configuration."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clusterwright_localaws.drivers import (
    CLUSTER_TAG,
    NODE_TAG,
    POOL_TAG,
    QUEUE_TAG,
    RESOURCE_TAG,
)
from clusterwright_rehearsal.errors import RehearsalError
from clusterwright_rehearsal.nodes.aws_clients import AwsClients

EPHEMERAL = "/scratch"
"""ParallelCluster's DEFAULT_EPHEMERAL_DIR."""


@dataclass(frozen=True)
class ClusterNode:
    """One node: its current instance and its settings.

    `name` is group and number, as everywhere in a rehearsal (`workers-1`); `host` is the host
    name, on compute nodes also the name in Slurm.
    """

    name: str
    group_name: str
    node_type: str
    host: str
    instance_id: str
    instance_type: str
    address: str
    subnet_id: str
    zone_name: str
    image_id: str
    role_arn: str
    actions: Mapping[str, Any]
    ephemeral_dir: str
    queue: str = ""
    resource: str = ""

    @property
    def role(self) -> str:
        """HyperPod's name of the role, which scenarios use."""
        return {"HeadNode": "Controller", "LoginNode": "Login"}.get(self.node_type, "Compute")


def cluster_nodes(
    account: AwsClients, name: str, configuration: Mapping[str, Any]
) -> list[ClusterNode]:
    """Every node of the cluster with a running instance, the head node first.

    Compute nodes are numbered in the order of their instance ids. After a replacement the caller
    must keep the former number of the node.
    """
    instances = _instances(account, name)
    roles = _Roles(account, name)
    found = list(_head_node(instances, configuration, roles))
    if not found:
        raise RehearsalError(f"{name} has no head node")
    for pool in (configuration.get("LoginNodes") or {}).get("Pools", []):
        found += _pool_nodes(instances, pool, roles)
    for queue in configuration["Scheduling"]["SlurmQueues"]:
        found += _queue_nodes(instances, queue, roles)
    return found


class _Roles:
    """The IAM role of each kind of node, by its logical id in the stack."""

    def __init__(self, account: AwsClients, name: str) -> None:
        self._account = account
        pages = account.client("cloudformation").get_paginator("list_stack_resources")
        self._names = {
            row["LogicalResourceId"]: row["PhysicalResourceId"]
            for page in pages.paginate(StackName=name)
            for row in page["StackResourceSummaries"]
            if row["ResourceType"] == "AWS::IAM::Role"
        }

    def arn(self, logical_id: str, node: Mapping[str, Any]) -> str:
        iam = node.get("Iam") or {}
        if "InstanceRole" in iam:
            return str(iam["InstanceRole"])
        role = self._names.get(logical_id)
        if role is None:
            raise RehearsalError(f"the cluster's stack has no {logical_id}")
        arn: str = self._account.client("iam").get_role(RoleName=role)["Role"]["Arn"]
        return arn


def _instances(account: AwsClients, name: str) -> list[dict[str, Any]]:
    pages = (
        account.client("ec2")
        .get_paginator("describe_instances")
        .paginate(
            Filters=[
                {"Name": f"tag:{CLUSTER_TAG}", "Values": [name]},
                {"Name": "instance-state-name", "Values": ["pending", "running"]},
            ]
        )
    )
    found = [
        {**instance, "tags": {tag["Key"]: tag["Value"] for tag in instance["Tags"]}}
        for page in pages
        for reservation in page["Reservations"]
        for instance in reservation["Instances"]
    ]
    return sorted(found, key=lambda instance: instance["InstanceId"])


def _head_node(
    instances: Sequence[Mapping[str, Any]], configuration: Mapping[str, Any], roles: _Roles
) -> Iterator[ClusterNode]:
    head = configuration["HeadNode"]
    for instance in instances:
        if instance["tags"].get(NODE_TAG) == "HeadNode":
            actions = head.get("CustomActions") or {}
            local = head.get("LocalStorage") or {}
            yield _cluster_node(
                instance,
                group=_group_of(actions, "head"),
                number=1,
                node_type="HeadNode",
                role_arn=roles.arn("RoleHeadNode", head),
                actions=actions,
                local=local,
            )


def _pool_nodes(
    instances: Sequence[Mapping[str, Any]], pool: Mapping[str, Any], roles: _Roles
) -> Iterator[ClusterNode]:
    own = [row for row in instances if row["tags"].get(POOL_TAG) == pool["Name"]]
    arn = roles.arn(f"RolePool{_word(pool['Name'])}", pool)
    for number, instance in enumerate(own, 1):
        yield _cluster_node(
            instance,
            group=pool["Name"],
            number=number,
            node_type="LoginNode",
            role_arn=arn,
            actions=pool.get("CustomActions") or {},
            local={},
        )


def _queue_nodes(
    instances: Sequence[Mapping[str, Any]], queue: Mapping[str, Any], roles: _Roles
) -> Iterator[ClusterNode]:
    arn = roles.arn(f"RoleQueue{_word(queue['Name'])}", queue)
    local = (queue.get("ComputeSettings") or {}).get("LocalStorage") or {}
    for resource in queue["ComputeResources"]:
        own = [
            row
            for row in instances
            if (row["tags"].get(QUEUE_TAG), row["tags"].get(RESOURCE_TAG))
            == (queue["Name"], resource["Name"])
        ]
        for number, instance in enumerate(own, 1):
            yield _cluster_node(
                instance,
                group=resource["Name"],
                number=number,
                node_type="ComputeFleet",
                role_arn=arn,
                actions=queue.get("CustomActions") or {},
                local=local,
                queue=queue["Name"],
                resource=resource["Name"],
            )


def _cluster_node(
    instance: Mapping[str, Any],
    *,
    group: str,
    number: int,
    node_type: str,
    role_arn: str,
    actions: Mapping[str, Any],
    local: Mapping[str, Any],
    queue: str = "",
    resource: str = "",
) -> ClusterNode:
    address = instance["PrivateIpAddress"]
    host = "ip-" + address.replace(".", "-")
    return ClusterNode(
        name=f"{group}-{number}",
        group_name=group,
        node_type=node_type,
        host=f"{queue}-st-{resource}-{number}" if resource else host,
        instance_id=instance["InstanceId"],
        instance_type=instance["InstanceType"],
        address=address,
        subnet_id=instance["SubnetId"],
        zone_name=instance["Placement"]["AvailabilityZone"],
        image_id=instance["ImageId"],
        role_arn=role_arn,
        actions=actions,
        ephemeral_dir=(local.get("EphemeralVolume") or {}).get("MountDir", EPHEMERAL),
        queue=queue,
        resource=resource,
    )


def _group_of(actions: Mapping[str, Any], default: str) -> str:
    """The group of the head node: the last argument of our custom action, else `default`."""
    arguments = (actions.get("OnNodeConfigured") or {}).get("Args") or []
    return str(arguments[-1]) if arguments else default


def _word(name: str) -> str:
    """The form of a name in the logical ids of roles."""
    return re.sub(r"[^a-z0-9]", "X", name)
