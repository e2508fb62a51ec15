"""The instances of a cluster beside its head node: static compute nodes, and login nodes.

ParallelCluster launches compute nodes itself (`clustermgtd` on the head node) and login nodes by
Auto Scaling groups. EC2 decides whether they start: type, count, subnet, market, reservation,
placement group. Dynamic nodes (MaxCount above MinCount), which start with a job, are not launched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from clusterwright_localaws.cloudformation.handler import Context, HandlerFailure
from clusterwright_localaws.services.ec2.reserved import MARKETS

CLUSTER_TAG: Final = "parallelcluster:cluster-name"
NODE_TAG: Final = "parallelcluster:node-type"
QUEUE_TAG: Final = "parallelcluster:queue-name"
RESOURCE_TAG: Final = "parallelcluster:compute-resource-name"
POOL_TAG: Final = "parallelcluster:login-nodes-pool-name"

_ALIVE: Final = ("pending", "running", "stopping", "stopped")


@dataclass(frozen=True)
class Fleet:
    """Instances with equal settings; `tags` identify the fleet."""

    tags: Mapping[str, str]
    count: int
    launch: Mapping[str, Any]


def wanted(name: str, configuration: Mapping[str, Any], groups: Mapping[str, str]) -> list[Fleet]:
    """Return the fleets of a valid configuration; `groups` are those of `cluster_stack`.

    Raises
    ------
    HandlerFailure
        It needs instances that the local AWS does not launch.
    """
    scheduling = configuration["Scheduling"]
    found = [
        fleet for queue in scheduling["SlurmQueues"] for fleet in _compute(name, queue, groups)
    ]
    for pool in (configuration.get("LoginNodes") or {}).get("Pools", []):
        tags = {CLUSTER_TAG: name, NODE_TAG: "LoginNode", POOL_TAG: pool["Name"]}
        networking = pool["Networking"]
        launch = {
            "InstanceType": pool["InstanceType"],
            "SubnetId": networking["SubnetIds"][0],
            "SecurityGroupIds": _groups(networking, groups["LoginNode"]),
        }
        found.append(Fleet(tags, int(pool["Count"]), launch))
    return found


def bring_about(ctx: Context, name: str, fleets: list[Fleet], image_id: str) -> None:
    """Launch missing instances and terminate surplus instances, and those of removed fleets.

    EC2's errors are raised: for them, static nodes of a real cluster fail to start.
    """
    ec2 = ctx.client("ec2")
    there = _there(ec2, name)
    surplus = [
        instance for instance in there if not any(_belongs(instance, fleet) for fleet in fleets)
    ]
    for fleet in fleets:
        own = [instance for instance in there if _belongs(instance, fleet)]
        # Nodes are not changed in place: nodes with other launch settings are replaced.
        fit = [item for item in own if _fits(item, fleet)]
        surplus += [item for item in own if item not in fit] + fit[fleet.count :]
    _end(ctx, [item["InstanceId"] for item in surplus])
    gone = {item["InstanceId"] for item in surplus}
    for fleet in fleets:
        own = [item for item in there if _belongs(item, fleet) and item["InstanceId"] not in gone]
        missing = fleet.count - len(own)
        if missing > 0:
            _launch(ctx, fleet, missing, image_id)


def end_all(ctx: Context, name: str) -> None:
    """Terminate every instance of a cluster except its head node, which its stack deletes."""
    ec2 = ctx.client("ec2")
    _end(ctx, [item["InstanceId"] for item in _there(ec2, name)])


def running(ctx: Context, name: str) -> tuple[bool, list[str]]:
    """Return whether compute nodes run, and which login pools have nodes."""
    there = _there(ctx.client("ec2"), name)
    tags = [{tag["Key"]: tag["Value"] for tag in item["Tags"]} for item in there]
    pools = {entry[POOL_TAG] for entry in tags if POOL_TAG in entry}
    return any(entry[NODE_TAG] == "Compute" for entry in tags), sorted(pools)


def _compute(name: str, queue: Mapping[str, Any], groups: Mapping[str, str]) -> Iterator[Fleet]:
    networking = queue["Networking"]
    for resource in queue["ComputeResources"]:
        tags = {
            CLUSTER_TAG: name,
            NODE_TAG: "Compute",
            QUEUE_TAG: queue["Name"],
            RESOURCE_TAG: resource["Name"],
        }
        count = int(resource.get("MinCount", 0))
        if "InstanceType" not in resource and count:
            raise HandlerFailure(
                f"The local AWS launches no static nodes of {queue['Name']}/{resource['Name']}: "
                "it names several instance types",
                "InvalidRequest",
            )
        launch: dict[str, Any] = {
            "InstanceType": resource.get("InstanceType"),
            "SubnetId": networking["SubnetIds"][0],
            "SecurityGroupIds": _groups(networking, groups["Compute"]),
        }
        group = _placement_group(queue, resource)
        if group is not None:
            launch["Placement"] = group
        launch |= _capacity(queue, resource)
        yield Fleet(tags, count, launch)


def _groups(networking: Mapping[str, Any], managed: str) -> list[str]:
    if "SecurityGroups" in networking:
        return list(networking["SecurityGroups"])
    return [managed, *networking.get("AdditionalSecurityGroups", [])]


def _placement_group(
    queue: Mapping[str, Any], resource: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return the name of a placement group; groups that ParallelCluster creates are not created
    here.
    """
    chosen = (resource.get("Networking") or {}).get("PlacementGroup") or queue["Networking"].get(
        "PlacementGroup"
    )
    if not chosen:
        return None
    name = chosen.get("Name") or chosen.get("Id")
    return {"GroupName": name} if name else None


def _capacity(queue: Mapping[str, Any], resource: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    market = MARKETS.get(queue.get("CapacityType", "ONDEMAND"))
    if market is not None:
        found["InstanceMarketOptions"] = {"MarketType": market}
    target = resource.get("CapacityReservationTarget") or queue.get("CapacityReservationTarget")
    if target:
        found["CapacityReservationSpecification"] = {"CapacityReservationTarget": dict(target)}
    return found


def _there(ec2: Any, name: str) -> list[dict[str, Any]]:
    pages = ec2.get_paginator("describe_instances").paginate(
        Filters=[
            {"Name": f"tag:{CLUSTER_TAG}", "Values": [name]},
            {"Name": f"tag:{NODE_TAG}", "Values": ["Compute", "LoginNode"]},
            {"Name": "instance-state-name", "Values": list(_ALIVE)},
        ]
    )
    return [
        instance
        for page in pages
        for reservation in page["Reservations"]
        for instance in reservation["Instances"]
    ]


def _belongs(instance: Mapping[str, Any], fleet: Fleet) -> bool:
    tags = {tag["Key"]: tag["Value"] for tag in instance["Tags"]}
    return all(tags.get(key) == value for key, value in fleet.tags.items())


def _fits(instance: Mapping[str, Any], fleet: Fleet) -> bool:
    wanted_group = (fleet.launch.get("Placement") or {}).get("GroupName") or ""
    return (
        instance["InstanceType"] == fleet.launch["InstanceType"]
        and instance["SubnetId"] == fleet.launch["SubnetId"]
        and (instance["Placement"].get("GroupName") or "") == wanted_group
    )


def _launch(ctx: Context, fleet: Fleet, count: int, image_id: str) -> None:
    tags = [{"Key": key, "Value": value} for key, value in fleet.tags.items()]
    node = fleet.tags[NODE_TAG]
    ctx.client("ec2").run_instances(
        ImageId=image_id,
        MinCount=count,
        MaxCount=count,
        TagSpecifications=[
            {"ResourceType": "instance", "Tags": [*tags, {"Key": "Name", "Value": node}]}
        ],
        **fleet.launch,
    )


def _end(ctx: Context, instance_ids: list[str]) -> None:
    if not instance_ids:
        return
    ec2 = ctx.client("ec2")
    ec2.terminate_instances(InstanceIds=instance_ids)
    ctx.wait(
        lambda: all(
            instance["State"]["Name"] == "terminated"
            for reservation in ec2.describe_instances(InstanceIds=instance_ids)["Reservations"]
            for instance in reservation["Instances"]
        ),
        what="instances to terminate",
    )
